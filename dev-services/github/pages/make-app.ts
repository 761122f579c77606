/** An App from a manifest that somebody's page has posted. */
import { type AppManifest, createApp, manifestFaults } from '../apps.ts'
import { type Account, newSecret, type State } from '../state.ts'
import { html, type PageCall, type PageResponse, page, pageNotFound, redirect, signInFirst, withQuery } from './page.ts'

const hourMs = 3_600_000

/** `organization` undefined: for the person's own account. */
export function makeAppPage(state: State, call: PageCall, organization: string | undefined): PageResponse {
  const posted = call.form.get('manifest')
  if (call.method === 'POST' && posted !== null) {
    // Kept here while the person signs in.
    const id = newSecret('')
    state.manifests.set(id, { text: posted, state: call.url.searchParams.get('state') })
    return redirect(`${call.url.pathname}?${new URLSearchParams({ manifest: id })}`)
  }
  if (!call.user) return signInFirst(call)
  const owner = organization === undefined ? call.user : ownedBy(state, organization, call.user)
  const id = call.form.get('manifest_id') ?? call.url.searchParams.get('manifest') ?? ''
  const kept = state.manifests.get(id)
  if (!owner || !kept) return pageNotFound()
  const manifest = parse(kept.text)
  if (!manifest)
    return page('Invalid GitHub App configuration', html`<p role="alert">The manifest is not JSON.</p>`, 422)
  const name = call.form.get('name') ?? manifest.name ?? ''
  const faults = manifestFaults(state, manifest, name)
  if (call.method === 'POST' && faults.length === 0) {
    const app = createApp(state, owner, manifest, name)
    const code = newSecret('')
    state.manifestCodes.set(code, { app, expiresAt: new Date(Date.now() + hourMs) })
    state.manifests.delete(id)
    return redirect(withQuery(manifest.redirect_url ?? state.url, { code, state: kept.state }))
  }
  return page(
    'Create GitHub App',
    html`${faults.map((fault) => html`<p role="alert">${fault}</p>`)}
<form method="post" action="${call.url.pathname}">
<input type="hidden" name="manifest_id" value="${id}">
<p><label>GitHub App name <input name="name" value="${name}"></label></p>
<p>It may: ${Object.entries(manifest.default_permissions ?? {})
      .map(([what, level]) => `${what} ${level}`)
      .join(', ')}</p>
<p><button>Create GitHub App for ${owner.login}</button></p>
</form>`,
    faults.length > 0 ? 422 : 200,
  )
}

export function ownedBy(state: State, login: string, user: Account): Account | undefined {
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
