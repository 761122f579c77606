/** For every page that a browser shows: nothing from elsewhere, nowhere in a frame, no address given away. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const
