import { newSecret, type State } from '../state.ts'
import { html, type PageCall, type PageResponse, page } from './page.ts'

export const sessionCookie = 'user_session'

export function handleSignInPage(state: State, { method, url, form }: PageCall): PageResponse {
  const returnTo = form.get('return_to') ?? url.searchParams.get('return_to') ?? '/'
  if (method === 'POST') {
    const account = state.account(form.get('login') ?? '')
    if (account?.type === 'User' && account.password === form.get('password')) {
      const session = newSecret('')
      state.sessions.set(session, account)
      const cookie = `${sessionCookie}=${session}; Path=/; HttpOnly; SameSite=Lax`
      return { kind: 'redirect', location: new URL(returnTo, state.url).href, cookie }
    }
  }
  return page(
    'Sign in to GitHub',
    html`${method === 'POST' ? html`<p role="alert">Incorrect username or password.</p>` : ''}
<form method="post" action="/login">
<input type="hidden" name="return_to" value="${returnTo}">
<p><label>Username or email address <input name="login" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button>Sign in</button></p>
</form>`,
  )
}
