import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { exchangeCode, handleAuthorizePage } from './authorize.ts'
import { handleCreateAppPage } from './create-app.ts'
import { handleInstallAppPage } from './install-app.ts'
import { type PageCall, type PageResponse, pageNotFound } from './page.ts'
import { handlePullRequestPage, handleRepositoryPage } from './repository.ts'
import { handleSignInPage, sessionCookie } from './sign-in.ts'

export async function servePage(
  simulator: SimulatorContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: Buffer,
): Promise<void> {
  const cookies = new URLSearchParams((request.headers.cookie ?? '').replaceAll('; ', '&'))
  const result = await respondWithPage(simulator, {
    url,
    method: request.method ?? 'GET',
    form: parseForm(request, body),
    user: simulator.state.sessions.get(cookies.get(sessionCookie) ?? ''),
    accept: request.headers.accept ?? '',
  })
  switch (result.kind) {
    case 'redirect':
      response
        .writeHead(302, { location: result.location, ...(result.cookie && { 'set-cookie': result.cookie }) })
        .end()
      return
    case 'html':
      response.writeHead(result.status, { 'content-type': 'text/html; charset=utf-8' }).end(result.html)
      return
    case 'data':
      response.writeHead(200, { 'content-type': result.contentType }).end(result.text)
  }
}

/** The code exchange accepts JSON as well as a form. */
function parseForm({ headers, method }: IncomingMessage, body: Buffer): URLSearchParams {
  if (method !== 'POST') return new URLSearchParams()
  if (!headers['content-type']?.startsWith('application/json')) return new URLSearchParams(body.toString())
  const fields = JSON.parse(body.toString()) as Record<string, unknown>
  return new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))
}

async function respondWithPage(simulator: SimulatorContext, call: PageCall): Promise<PageResponse> {
  const { state } = simulator
  const parts = call.url.pathname.split('/').slice(1).map(decodeURIComponent)
  const [first = '', second = '', third = '', fourth = ''] = parts
  switch (call.url.pathname) {
    case '/login':
      return handleSignInPage(state, call)
    case '/settings/apps/new':
      return handleCreateAppPage(state, call, undefined)
    case '/login/oauth/authorize':
      return handleAuthorizePage(state, call)
    case '/login/oauth/access_token':
      return call.method === 'POST' ? exchangeCode(state, call) : pageNotFound()
  }
  if (first === 'organizations' && parts.slice(2).join('/') === 'settings/apps/new')
    return handleCreateAppPage(state, call, second)
  if (first === 'apps' && parts.slice(2).join('/') === 'installations/new')
    return handleInstallAppPage(simulator, call, second)
  if (parts.length === 2) return handleRepositoryPage(simulator, call, first, second)
  if (parts.length === 4 && third === 'pull') return handlePullRequestPage(simulator, call, first, second, fourth)
  return pageNotFound()
}
