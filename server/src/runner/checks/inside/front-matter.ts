/**
 * Front matter is YAML here and nothing else. Libraries that also take other languages execute what they find
 * (`---js`, tried).
 */
import { parseDocument } from 'yaml'

export interface SplitPage {
  /** The page without its front matter, at the same lines. */
  body: string
  problem: string | undefined
}

const maxBytes = 64 * 1024

export function splitFrontMatter(text: string): SplitPage {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const opening = /^---([^\S\n]*)\r?\n/.exec(source)
  if (!opening) {
    const other = /^---[^\S\n]*(\w+)[^\S\n]*\r?\n/.exec(source)?.[1]
    return { body: source, problem: other === undefined ? undefined : `it is marked as ${other}; only YAML is read` }
  }
  const closing = /^---[^\S\n]*(?:\r?\n|$)/m.exec(source.slice(opening[0].length))
  if (!closing) return { body: source, problem: undefined } // a line across the page, and no front matter
  const yaml = source.slice(opening[0].length, opening[0].length + closing.index)
  const end = opening[0].length + closing.index + closing[0].length
  const body = source.slice(0, end).replaceAll(/[^\n]/g, '') + source.slice(end)
  return { body, problem: problemOf(yaml) }
}

function problemOf(yaml: string): string | undefined {
  if (yaml.length > maxBytes) return 'it is too long to be read'
  // No aliases to follow, no types to build: the text is looked at and not turned into values.
  const document = parseDocument(yaml, { prettyErrors: true, schema: 'failsafe', logLevel: 'silent' })
  const [error] = document.errors
  if (error) return error.message.split('\n')[0]?.replace(/:$/, '')
  const { contents } = document
  return contents === null || 'items' in contents ? undefined : 'it is no list of fields'
}
