/** The OAuth flow: a person authorizes an App, and the App exchanges the code for a token. */
import { createHash } from 'node:crypto'
import { type Account, type App, newSecret, type State } from '../state.ts'
import {
  html,
  type PageCall,
  type PageResponse,
  page,
  pageNotFound,
  redirect,
  redirectToSignIn,
  withQuery,
} from './page.ts'

const codeLifetimeMs = 600_000
const tokenSeconds = 28_800
const refreshSeconds = 15_897_600

/** Issues a code for the App's first callback URL, or the one in the request. */
export function issueAuthorizationCode(
  state: State,
  app: App,
  user: Account,
  { redirectUri, challenge = null }: { redirectUri: string; challenge?: string | null },
): string {
  const code = newSecret('')
  state.authorizations.add(`${app.id} ${user.id}`)
  state.authorizationCodes.set(code, {
    app,
    user,
    redirectUri,
    challenge,
    expiresAt: new Date(Date.now() + codeLifetimeMs),
  })
  return code
}

export function handleAuthorizePage(state: State, call: PageCall): PageResponse {
  if (!call.user) return redirectToSignIn(call)
  const { searchParams } = call.url
  const app = [...state.apps.values()].find(({ clientId }) => clientId === searchParams.get('client_id'))
  if (!app) return pageNotFound()
  const redirectUri = searchParams.get('redirect_uri') ?? app.callbackUrls[0] ?? ''
  if (!app.callbackUrls.includes(redirectUri)) {
    return page('Oops', html`<p role="alert">The redirect_uri is not associated with this application.</p>`, 400)
  }
  if (call.method === 'POST' || state.authorizations.has(`${app.id} ${call.user.id}`)) {
    const code = issueAuthorizationCode(state, app, call.user, {
      redirectUri,
      challenge: searchParams.get('code_challenge'),
    })
    return redirect(withQuery(redirectUri, { code, state: searchParams.get('state') }))
  }
  return page(
    `Authorize ${app.name}`,
    html`<p>${app.name} by ${app.owner.login} would like permission to verify your identity and to act on your behalf.</p>
<form method="post" action="${call.url.pathname + call.url.search}"><button>Authorize ${app.name}</button></form>`,
  )
}

/** GitHub responds with 200 to errors, too. */
export function exchangeCode(state: State, { form, accept }: PageCall): PageResponse {
  const response = (fields: Record<string, string | number>): PageResponse => {
    if (accept.includes('application/json')) {
      return { kind: 'data', contentType: 'application/json; charset=utf-8', text: JSON.stringify(fields) }
    }
    const text = String(
      new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])),
    )
    return { kind: 'data', contentType: 'application/x-www-form-urlencoded; charset=utf-8', text }
  }
  const errorResponse = (error: string, description: string) => response({ error, error_description: description })

  const app = [...state.apps.values()].find(({ clientId }) => clientId === form.get('client_id'))
  if (!app || app.clientSecret !== form.get('client_secret')) {
    return errorResponse('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
  }
  const code = form.get('code') ?? ''
  const issued = state.authorizationCodes.get(code)
  if (!issued || issued.app !== app || issued.expiresAt < new Date()) {
    return errorResponse('bad_verification_code', 'The code passed is incorrect or expired.')
  }
  if ((form.get('redirect_uri') ?? issued.redirectUri) !== issued.redirectUri) {
    return errorResponse(
      'redirect_uri_mismatch',
      'The redirect_uri MUST match the registered callback URL for this application.',
    )
  }
  const verifier = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (issued.challenge !== null && verifier !== issued.challenge) {
    return errorResponse('bad_verification_code', 'The code_verifier is wrong.')
  }
  state.authorizationCodes.delete(code)
  const token = newSecret('ghu_')
  const expiresAt = new Date(Date.now() + tokenSeconds * 1000)
  state.tokens.set(token, { kind: 'user', token, expiresAt, user: issued.user, app })
  return response({
    access_token: token,
    expires_in: tokenSeconds,
    refresh_token: newSecret('ghr_'),
    refresh_token_expires_in: refreshSeconds,
    scope: '',
    token_type: 'bearer',
  })
}
