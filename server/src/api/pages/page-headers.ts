/** For every page that a browser shows: nothing from elsewhere, nowhere in a frame, no address given away. */
export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy({ styles: "'self'" }),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** The dashboard's components write style elements, and each has to carry what stood in the page's headers. */
export const pageHeadersWithNonce = (nonce: string) => ({
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy({ styles: `'self' 'nonce-${nonce}'` }),
})

/**
 * The one page that sends a form to another site: GitHub takes a new App's manifest in no other way. Without a referrer
 * browsers call the form's origin `null`, which many a site takes for a forgery; so it tells its origin, and no more.
 */
export const pageHeadersForForm = (nonce: string, toUrls: readonly string[]) => ({
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy({
    styles: `'self' 'nonce-${nonce}'`,
    forms: ["'self'", ...new Set(toUrls.map((url) => new URL(url).origin))].join(' '),
  }),
  'referrer-policy': 'origin',
})

function contentSecurityPolicy({ styles, forms = "'self'" }: { styles: string; forms?: string }): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ')
}
