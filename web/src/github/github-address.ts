import type { RepositoryAddress } from '../settings/repository-address.ts'

export const githubComUrl = 'https://github.com'

const ownerAndName = /^([a-z\d][\w-]*)\/([\w.-]+?)(?:\.git)?$/i

/**
 * Accepts `owner/name`, the URL of the repository or of any page in it, and clone URLs. GitHub is never served below a path,
 * so the first two path segments are owner and name.
 */
export function parseGithubRepositoryAddress(typed: string): RepositoryAddress | undefined {
  const text = typed.trim()
  if (ownerAndName.test(text)) return toAddress(githubComUrl, text)
  const [, sshHost, sshPath] = /^(?:ssh:\/\/)?git@([^/:]+)[:/](.+)$/.exec(text) ?? []
  if (sshHost && sshPath) return toAddress(`https://${sshHost}`, sshPath)
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (!url?.hostname.includes('.') && url?.hostname !== 'localhost') return undefined
  return toAddress(url.origin, url.pathname.split('/').slice(1, 3).join('/'))
}

function toAddress(origin: string, path: string): RepositoryAddress | undefined {
  const [, owner, name] = ownerAndName.exec(path) ?? []
  return owner && name
    ? { url: origin.replace(/^https?:\/\/(www\.)?github\.com$/, githubComUrl), owner, name }
    : undefined
}

/** The URL without its scheme. */
export const stripUrlScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')

/**
 * The page that creates a fine-grained token, with the required permissions filled in. GitHub Enterprise Server may not
 * support this and shows an empty form, so the permissions are listed beside the link.
 */
export function buildNewTokenUrl(repository: Pick<RepositoryAddress, 'url'> & Partial<RepositoryAddress>): string {
  const prefilled = new URLSearchParams({
    name: 'Colophon',
    ...(repository.owner && { target_name: repository.owner }),
    contents: 'write',
    pull_requests: 'write',
    statuses: 'read',
    deployments: 'read',
    actions: 'read',
  })
  return `${repository.url}/settings/personal-access-tokens/new?${prefilled}`
}
