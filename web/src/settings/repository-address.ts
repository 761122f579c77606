export interface RepositoryAddress {
  /** Of the host's pages. */
  url: string
  owner: string
  name: string
}

/** From what the browser shows of a repository: the host may be below a path, the last two parts are owner and name. */
export function readRepositoryAddress(typed: string): RepositoryAddress | undefined {
  const url = URL.parse(typed.trim())
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const [owner, name] = parts.slice(-2).map(decoded)
  if (parts.length < 2 || !owner || !name) return undefined
  const path = parts.slice(0, -2).join('/')
  return { url: `${url.origin}${path && `/${path}`}`, owner, name: name.replace(/\.git$/, '') }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Without slashes at its ends, as it is stored. */
export const readDocsFolder = (typed: string): string => typed.trim().replace(/^[./]*\/+|\/+$/g, '')
