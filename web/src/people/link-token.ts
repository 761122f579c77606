/**
 * Tokens come behind the `#` of a link: browsers send that part to nobody, so no log has it. People paste what they have:
 * the token, or the whole link that it came in.
 */
export const tokenIn = (text: string): string => text.trim().replace(/^[^#]*#/, '')
