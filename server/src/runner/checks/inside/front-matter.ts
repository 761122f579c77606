/**
 * Front matter must be YAML. Libraries that support other languages execute JavaScript front matter (`---js`, tried).
 */
import { parseDocument } from 'yaml'

export interface SplitPage {
  /** The page without its front matter. Line numbers stay the same. */
  body: string
  /** The YAML of the front matter. Empty: there is none. */
  frontMatter: string
  problem: string | undefined
}

const maxBytes = 64 * 1024

export function splitFrontMatter(text: string): SplitPage {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const opening = /^---([^\S\n]*)\r?\n/.exec(source)
  if (!opening) {
    const language = /^---[^\S\n]*(\w+)[^\S\n]*\r?\n/.exec(source)?.[1]
    return {
      body: source,
      frontMatter: '',
      problem: language === undefined ? undefined : `it is marked as ${language}, but must be YAML`,
    }
  }
  const closing = /^---[^\S\n]*(?:\r?\n|$)/m.exec(source.slice(opening[0].length))
  if (!closing) return { body: source, frontMatter: '', problem: undefined } // a thematic break, not front matter
  const yaml = source.slice(opening[0].length, opening[0].length + closing.index)
  const end = opening[0].length + closing.index + closing[0].length
  const body = source.slice(0, end).replaceAll(/[^\n]/g, '') + source.slice(end)
  return { body, frontMatter: yaml, problem: findProblem(yaml) }
}

function findProblem(yaml: string): string | undefined {
  if (yaml.length > maxBytes) return 'it is longer than 64 KiB'
  // The text is only parsed: aliases are not followed and no values are built.
  const document = parseDocument(yaml, { prettyErrors: true, schema: 'failsafe', logLevel: 'silent' })
  const [error] = document.errors
  if (error) return error.message.split('\n')[0]?.replace(/:$/, '')
  const { contents } = document
  return contents === null || 'items' in contents ? undefined : 'it must consist of fields, such as `title: Home`'
}
