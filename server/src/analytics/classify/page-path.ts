/** Finds the page that a request was for. A page has one path, for every client and every format. */

/** The format in which the page was requested. Kept separately, because the rule for clients reads it, and rules change. */
export const requestedPageFormats = ['html', 'markdown', 'mdx', 'llms'] as const
export type RequestedPageFormat = (typeof requestedPageFormats)[number]

export interface RequestedPage {
  path: string
  surface: RequestedPageFormat
}

export type PathRejection = 'invalid_path' | 'path_too_long' | 'not_a_page'

export const maxPathCharacters = 1024
const maxEncodedCharacters = 9 * maxPathCharacters // up to three bytes per character, three characters (%HH) per byte

/** `target` is as in the request line: percent-encoded, with its query. Never throws. */
export function parsePagePath(target: string): RequestedPage | PathRejection {
  if (!target.startsWith('/')) return 'invalid_path'
  const encoded = withoutQuery(target)
  if (encoded.length > maxEncodedCharacters) return 'path_too_long'
  const decoded = encodeControls(decodeOnce(encoded))

  let end = decoded.length
  let surface: RequestedPageFormat = 'html'
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

/** Removed repeatedly until none is left, so that the path of a page maps to itself. */
const endings = ['/', '/index', '.html', '.md', '.mdx'] as const
const endingOf = (path: string, end: number) => endings.find((ending) => path.endsWith(ending, end))

// `/docs/1.2` and `/docs/2.x` are pages: the part after their last dot is not a file extension.
const extension = /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,11}$/i
const versionNumber = /^v?\d+(?:\.\d+)*\.x$/i

function withoutQuery(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/** Decodes only once: `%2541` is a page named `%41`. Bytes that are not UTF-8 stay encoded. */
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

/** Characters that could break a line, control a terminal or change the direction of text stay encoded. */
const controlCharacters = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const encodeControls = (path: string) => path.toWellFormed().replace(controlCharacters, encodeURIComponent)
