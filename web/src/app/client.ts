import { createClient } from '@colophon/sdk'

/**
 * Same origin: the browser sends the session cookie, and pages of other origins cannot. Queries are retried by the query client,
 * which shows that it does.
 */
export const client = createClient({ baseUrl: window.location.origin, timeoutSeconds: 30, retry: false })
