/**
 * Returns the token of a one-time link. Tokens are in the fragment of the URL, which browsers do not send, so that they
 * appear in no log. Accepts the token itself, too.
 */
export const parseLinkToken = (text: string): string => text.trim().replace(/^[^#]*#/, '')
