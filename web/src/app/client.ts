import { createClient } from '@colophon/sdk'

/** Same origin: the browser sends the session's cookie, and nobody else's page can. */
export const client = createClient({ baseUrl: window.location.origin, timeoutSeconds: 30 })
