/** For every HTML page: no resources from other origins, no framing, no referrer. */
export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy({ styles: "'self'" }),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** The components of the dashboard create style elements, which need the nonce of the page. */
export const pageHeadersWithNonce = (nonce: string) => ({
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy({ styles: `'self' 'nonce-${nonce}'` }),
})

/**
 * For the one page that submits a form to another site, because GitHub accepts the manifest of a new App in no other way.
 * Without a referrer, browsers send the origin of a form as `null`, which many sites reject as a forgery. So this page sends
 * its origin, and nothing more.
 */
export const pageHeadersForExternalForm = (nonce: string, toUrls: readonly string[]) => ({
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
