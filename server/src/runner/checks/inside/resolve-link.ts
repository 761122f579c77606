/** Resolves relative links. Site generators differ in what a link may omit: a link that works in any of them is accepted. */
import { posix } from 'node:path'

export interface ResolvedLink {
  /** Undefined: there is no such file. */
  file: string | undefined
  anchor: string | undefined
}

const suffixes = ['', '.md', '.mdx', '/index.md', '/index.mdx', '/README.md', '/_index.md']

/** Undefined: not a relative link, so it is not checked. */
export function resolveLink(page: string, target: string, has: (path: string) => boolean): ResolvedLink | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/|^\\|[{}<>]/i.test(target) || target.trim() === '') return undefined
  const [beforeHash = '', hash] = target.split('#', 2)
  const anchor = hash === undefined || hash === '' ? undefined : decode(hash)
  const path = decode(beforeHash.split('?', 1)[0] ?? '')
  if (path === '') return { file: page, anchor }
  const withoutExtension = page.replace(/\.mdx?$/, '')
  const isIndex = /(?:^|\/)(?:index|README|_index)$/.test(withoutExtension)
  // Relative to the file, and relative to the URL of the published page.
  const bases = [posix.dirname(page), ...(isIndex ? [] : [withoutExtension])]
  const file = bases
    .map((directory) => posix.normalize(posix.join(directory, path)).replace(/\/+$/, ''))
    .filter((candidate) => !candidate.startsWith('..'))
    .flatMap((candidate) => suffixes.map((suffix) => candidate.replace(/\.html$/, '') + suffix).concat(candidate))
    .find(has)
  return { file, anchor }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
