/**
 * For names that strangers may have chosen, in an email that Colophon sends: mail programs turn `example.com` into a link, and the reader
 * would take it for ours.
 */
export const withoutLinks = (name: string): string => name.replaceAll('://', ': //').replace(/\.(?=\p{L})/gu, '[.]')
