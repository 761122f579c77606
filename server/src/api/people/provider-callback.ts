import { authPath, providerId } from '../../people/auth.ts'
import type { Sessions } from '../../people/sessions.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'

/** Where the OpenID provider sends the browser back to. better-auth checks the state, the code and the token. */
export function addProviderCallback(server: HttpServer, sessions: Sessions, publicOrigin: string): void {
  // Written out, also for better-auth, which has more routes than we give to anybody: from `callback/..\\x` it would make one.
  const url = `${authPath}/callback/${providerId}`
  server.get(url, { config: { access: 'public' } }, async (request, reply) => {
    const headers = new Headers({ cookie: request.headers.cookie ?? '' })
    const { search } = new URL(request.url, publicOrigin)
    const response = await sessions.answerProvider(new Request(publicOrigin + url + search, { headers }))
    const location = response.headers.get('location')
    return reply
      .code(response.status)
      .headers({ 'set-cookie': response.headers.getSetCookie(), 'cache-control': 'no-store' })
      .headers(location === null ? {} : { location })
      .send(await response.text())
  })
}
