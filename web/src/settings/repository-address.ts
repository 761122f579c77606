export interface RepositoryAddress {
  /** Base URL of the code host. */
  url: string
  owner: string
  name: string
}

/** Parses the URL of a repository page. The last two segments are owner and name; the code host can be under a path. */
export function parseRepositoryAddress(typed: string): RepositoryAddress | undefined {
  const url = URL.parse(typed.trim())
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const segments = url.pathname.split('/').filter((segment) => segment !== '')
  const [owner, name] = segments.slice(-2).map(decode)
  if (segments.length < 2 || !owner || !name) return undefined
  const path = segments.slice(0, -2).join('/')
  return { url: `${url.origin}${path && `/${path}`}`, owner, name: name.replace(/\.git$/, '') }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Removes slashes at both ends, as in the stored value. */
export const trimDocsFolder = (typed: string): string => typed.trim().replace(/^[./]*\/+|\/+$/g, '')
