import { authPath, oidcProviderId, toAuthHeaders } from '../../people/better-auth.ts'
import { type SessionManager, toCookieHeader } from '../../people/session-manager.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { toHttpDetails } from '../http-details.ts'
import { toBrowser } from './session-response.ts'
import type { SignInAudit } from './sign-in-audit.ts'

/** The route that the OpenID provider sends the browser back to. better-auth checks the state, the code and the token. */
export function addProviderCallback(
  server: HttpServer,
  { sessions, signInAudit }: { sessions: SessionManager; signInAudit: SignInAudit },
  publicOrigin: string,
): void {
  // The URL is a constant, also in the request that better-auth gets: better-auth has more routes than Colophon exposes, and
  // a path such as `callback/..\\x` would reach them.
  const url = `${authPath}/callback/${oidcProviderId}`
  server.get(url, { config: { access: 'public' } }, async (request, reply) => {
    const http = toHttpDetails(request)
    const headers = toAuthHeaders(toBrowser(http))
    const { search } = new URL(request.url, publicOrigin)
    const response = await sessions.handleProviderCallback(new Request(publicOrigin + url + search, { headers }))
    const location = response.headers.get('location')
    const failure = location === null ? null : new URL(location, publicOrigin).searchParams.get('error')
    if (failure !== null) await signInAudit.recordFailure({ provider: failure.slice(0, 100) }, http)
    const setCookie = response.headers.getSetCookie()
    const started = failure === null ? await sessions.find(toCookieHeader(setCookie)) : undefined
    if (started) {
      await sessions.signOut(http.cookieHeader) // the previous session of this browser
      await signInAudit.recordStart(started.person, 'provider', http)
    }
    return reply
      .code(response.status)
      .headers({ 'set-cookie': setCookie, 'cache-control': 'no-store' })
      .headers(location === null ? {} : { location })
      .send(await response.text())
  })
}
