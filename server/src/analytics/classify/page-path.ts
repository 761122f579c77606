/** Which page a request was for: one page is one path, whoever read it and in which form. */

/** In which form the page was asked for. Apart, because the rule for readers looks at it, and rules change. */
export const surfaces = ['html', 'markdown', 'mdx', 'llms'] as const
export type Surface = (typeof surfaces)[number]

export interface Page {
  path: string
  surface: Surface
}

export type NotAPage = 'invalid_path' | 'path_too_long' | 'not_a_page'

export const maxPathCharacters = 1024
const maxEncodedCharacters = 9 * maxPathCharacters // three bytes to a character, three characters to a byte

/** `target` as the request line has it: encoded, with its query. Never throws. */
export function readPage(target: string): Page | NotAPage {
  if (!target.startsWith('/')) return 'invalid_path'
  const encoded = withoutQuery(target)
  if (encoded.length > maxEncodedCharacters) return 'path_too_long'
  const decoded = harmless(decodeOnce(encoded))

  let end = decoded.length
  let surface: Surface = 'html'
  for (let ending = endingOf(decoded, end); ending !== undefined; ending = endingOf(decoded, end)) {
    end -= ending.length
    if (ending === '.md') surface = 'markdown'
    if (ending === '.mdx') surface = 'mdx'
  }
  const path = decoded.slice(0, end) || '/'
  if (path.length > maxPathCharacters) return 'path_too_long'

  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === 'llms.txt' || name === 'llms-full.txt') return { path, surface: 'llms' }
  return extension.test(name) && !versionNumber.test(name) ? 'not_a_page' : { path, surface }
}

/** Taken off as often as they come: whatever is left has none of them, so that a path is its own path. */
const endings = ['/', '/index', '.html', '.md', '.mdx'] as const
const endingOf = (path: string, end: number) => endings.find((ending) => path.endsWith(ending, end))

// `/docs/1.2` and `/docs/2.x` are pages: what follows their last dot is no kind of file.
const extension = /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,11}$/i
const versionNumber = /^v?\d+(?:\.\d+)*\.x$/i

function withoutQuery(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/** Once: `%2541` is a page named `%41`. What is not UTF-8 stays as it came. */
function decodeOnce(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path.replace(/(?:%[0-9a-f]{2})+/gi, decodeOrKeep)
  }
}

function decodeOrKeep(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run
  }
}

/** What could break a line, steer a terminal or turn the direction of text stays encoded. */
const steering = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const harmless = (path: string) => path.toWellFormed().replace(steering, encodeURIComponent)
