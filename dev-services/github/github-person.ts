/** Somebody on the stand-in's pages, without a browser: signs in, follows what leads on, and ends where they are sent away to. */
import type { GithubAddress } from './github-control.ts'

export interface GithubPerson {
  /** Posts a manifest and presses the button. Each returns the address that GitHub leads back to. */
  createApp(action: string, manifest: string): Promise<URL>
  install(installUrl: string, repositoryIds: readonly number[]): Promise<URL>
  authorize(authorizeUrl: string): Promise<URL>
}

export async function githubPerson({ url }: GithubAddress, login: string): Promise<GithubPerson> {
  const signedIn = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ login, password: 'password' }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0]
  if (!cookie) throw new Error(`${login} cannot sign in to the stand-in`)

  const open = (address: string, form?: URLSearchParams) =>
    fetch(address, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) })
  const wayOn = async (response: Response): Promise<URL> => {
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The stand-in does not lead on: ${await response.text()}`)
    return new URL(location, url)
  }

  return {
    async createApp(action, manifest) {
      const shown = await wayOn(await open(action, new URLSearchParams({ manifest })))
      const form = new URLSearchParams({ manifest_id: shown.searchParams.get('manifest') ?? '' })
      form.set('name', (JSON.parse(manifest) as { name: string }).name)
      return wayOn(await open(url + shown.pathname, form))
    },
    async install(installUrl, repositoryIds) {
      const form = new URLSearchParams({ install_target: 'selected' })
      for (const id of repositoryIds) form.append('repository_ids', String(id))
      return wayOn(await open(installUrl, form))
    },
    authorize: async (authorizeUrl) => wayOn(await open(authorizeUrl, new URLSearchParams())),
  }
}
