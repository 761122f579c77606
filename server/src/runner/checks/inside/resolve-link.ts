/** Where a relative link leads. Generators differ in what they let one leave out: what leads somewhere in any of them is good. */
import { posix } from 'node:path'

export interface Resolved {
  /** The file, or undefined: there is none. */
  file: string | undefined
  anchor: string | undefined
}

const endings = ['', '.md', '.mdx', '/index.md', '/index.mdx', '/README.md', '/_index.md']

/** Undefined: it is no relative link, and so not ours to judge. */
export function resolveLink(page: string, target: string, has: (path: string) => boolean): Resolved | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/|^\\|[{}<>]/i.test(target) || target.trim() === '') return undefined
  const [beforeHash = '', hash] = target.split('#', 2)
  const anchor = hash === undefined || hash === '' ? undefined : decoded(hash)
  const path = decoded(beforeHash.split('?', 1)[0] ?? '')
  if (path === '') return { file: page, anchor }
  const withoutEnding = page.replace(/\.mdx?$/, '')
  const isIndex = /(?:^|\/)(?:index|README|_index)$/.test(withoutEnding)
  // From the file, and from the address that the page will have.
  const from = [posix.dirname(page), ...(isIndex ? [] : [withoutEnding])]
  const file = from
    .map((directory) => posix.normalize(posix.join(directory, path)).replace(/\/+$/, ''))
    .filter((candidate) => !candidate.startsWith('..'))
    .flatMap((candidate) => endings.map((ending) => candidate.replace(/\.html$/, '') + ending).concat(candidate))
    .find(has)
  return { file, anchor }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
