import type { RepositoryAddress } from '../settings/repository-address.ts'

export const githubCom = 'https://github.com'

const ownerAndName = /^([a-z\d][\w-]*)\/([\w.-]+?)(?:\.git)?$/i

/**
 * From what people have at hand: `owner/name`, what the browser shows of the repository or of anything in it, or what one
 * clones from. GitHub is never below a path, so the first two parts are owner and name.
 */
export function readGithubAddress(typed: string): RepositoryAddress | undefined {
  const text = typed.trim()
  if (ownerAndName.test(text)) return placed(githubCom, text)
  const [, sshHost, sshPath] = /^(?:ssh:\/\/)?git@([^/:]+)[:/](.+)$/.exec(text) ?? []
  if (sshHost && sshPath) return placed(`https://${sshHost}`, sshPath)
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (!url?.hostname.includes('.') && url?.hostname !== 'localhost') return undefined
  return placed(url.origin, url.pathname.split('/').slice(1, 3).join('/'))
}

function placed(origin: string, path: string): RepositoryAddress | undefined {
  const [, owner, name] = ownerAndName.exec(path) ?? []
  return owner && name ? { url: origin.replace(/^https?:\/\/(www\.)?github\.com$/, githubCom), owner, name } : undefined
}

/** As people say it: without the scheme. */
export const hostOf = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')

/**
 * Where a fine-grained token is made, with what it needs filled in. GitHub Enterprise Server may not know how to, and shows
 * the empty form; what to choose stands beside the link.
 */
export function tokenPage(place: Pick<RepositoryAddress, 'url'> & Partial<RepositoryAddress>): string {
  const filledIn = new URLSearchParams({
    name: 'Colophon',
    ...(place.owner && { target_name: place.owner }),
    contents: 'write',
    pull_requests: 'write',
    statuses: 'read',
    deployments: 'read',
    actions: 'read',
  })
  return `${place.url}/settings/personal-access-tokens/new?${filledIn}`
}
