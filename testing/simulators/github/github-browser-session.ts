/**
 * A person on the simulator's pages, without a browser: signs in, submits forms, and returns the URL that GitHub
 * redirects to.
 */
import type { GithubSimulatorAccess } from './github-control.ts'

export interface GithubBrowserSession {
  /** Posts a manifest and confirms. Returns the URL that GitHub redirects to, as all functions do. */
  createApp(action: string, manifest: string): Promise<URL>
  install(installUrl: string, repositoryIds: readonly number[]): Promise<URL>
  authorize(authorizeUrl: string): Promise<URL>
}

export async function signInToGithubSimulator(
  { url }: GithubSimulatorAccess,
  login: string,
): Promise<GithubBrowserSession> {
  const signedIn = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ login, password: 'password' }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0]
  if (!cookie) throw new Error(`${login} cannot sign in to the GitHub simulator.`)

  const open = (address: string, form?: URLSearchParams) =>
    fetch(address, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) })
  const redirectTarget = async (response: Response): Promise<URL> => {
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The GitHub simulator did not redirect: ${await response.text()}`)
    return new URL(location, url)
  }

  return {
    async createApp(action, manifest) {
      const confirmation = await redirectTarget(await open(action, new URLSearchParams({ manifest })))
      const form = new URLSearchParams({ manifest_id: confirmation.searchParams.get('manifest') ?? '' })
      form.set('name', (JSON.parse(manifest) as { name: string }).name)
      return redirectTarget(await open(url + confirmation.pathname, form))
    },
    async install(installUrl, repositoryIds) {
      const form = new URLSearchParams({ install_target: 'selected' })
      for (const id of repositoryIds) form.append('repository_ids', String(id))
      return redirectTarget(await open(installUrl, form))
    },
    authorize: async (authorizeUrl) => redirectTarget(await open(authorizeUrl, new URLSearchParams())),
  }
}
