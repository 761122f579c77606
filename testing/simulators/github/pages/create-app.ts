/** The page that creates an App from a posted manifest. */
import { type AppManifest, createApp, manifestErrors } from '../apps.ts'
import { type Account, newSecret, type State } from '../state.ts'
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

const hourMs = 3_600_000

/** Without `organization`, the App belongs to the person's account. */
export function handleCreateAppPage(state: State, call: PageCall, organization: string | undefined): PageResponse {
  const posted = call.form.get('manifest')
  if (call.method === 'POST' && posted !== null) {
    // Stored while the person signs in.
    const id = newSecret('')
    state.manifests.set(id, { text: posted, state: call.url.searchParams.get('state') })
    return redirect(`${call.url.pathname}?${new URLSearchParams({ manifest: id })}`)
  }
  if (!call.user) return redirectToSignIn(call)
  const owner = organization === undefined ? call.user : findOwnedAccount(state, organization, call.user)
  const id = call.form.get('manifest_id') ?? call.url.searchParams.get('manifest') ?? ''
  const stored = state.manifests.get(id)
  if (!owner || !stored) return pageNotFound()
  const manifest = parse(stored.text)
  if (!manifest)
    return page('Invalid GitHub App configuration', html`<p role="alert">The manifest is not JSON.</p>`, 422)
  const name = call.form.get('name') ?? manifest.name ?? ''
  const errors = manifestErrors(state, manifest, name)
  if (call.method === 'POST' && errors.length === 0) {
    const app = createApp(state, owner, manifest, name)
    const code = newSecret('')
    state.manifestCodes.set(code, { app, expiresAt: new Date(Date.now() + hourMs) })
    state.manifests.delete(id)
    return redirect(withQuery(manifest.redirect_url ?? state.url, { code, state: stored.state }))
  }
  return page(
    'Create GitHub App',
    html`${errors.map((error) => html`<p role="alert">${error}</p>`)}
<form method="post" action="${call.url.pathname}">
<input type="hidden" name="manifest_id" value="${id}">
<p><label>GitHub App name <input name="name" value="${name}"></label></p>
<p>Permissions: ${Object.entries(manifest.default_permissions ?? {})
      .map(([permission, level]) => `${permission} ${level}`)
      .join(', ')}</p>
<p><button>Create GitHub App for ${owner.login}</button></p>
</form>`,
    errors.length > 0 ? 422 : 200,
  )
}

export function findOwnedAccount(state: State, login: string, user: Account): Account | undefined {
  const account = state.account(login)
  return account?.owners.has(user.login.toLowerCase()) ? account : undefined
}

function parse(text: string): AppManifest | undefined {
  try {
    return JSON.parse(text) as AppManifest
  } catch {
    return undefined
  }
}
