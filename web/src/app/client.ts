import { createClient } from '@colophon/sdk'

/** Same origin: the browser sends the session cookie, and pages of other origins cannot. */
export const client = createClient({ baseUrl: window.location.origin, timeoutSeconds: 30 })
