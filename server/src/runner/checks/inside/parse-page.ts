/** Parses a page for the checks, by its format. Pages are never executed. */
import { parseAsciidoc } from './parse-asciidoc.ts'
import { parseMarkdown } from './parse-markdown.ts'
import { parseRestructuredText } from './parse-restructuredtext.ts'
import type { ParsedPage } from './parsed-page.ts'

type PageParser = (path: string, text: string) => ParsedPage | Promise<ParsedPage>

const parsers: readonly (readonly [RegExp, PageParser])[] = [
  [/\.mdx?$/i, parseMarkdown],
  [/\.markdown$/i, parseMarkdown],
  [/\.rst$/i, parseRestructuredText],
  [/\.(?:adoc|asciidoc)$/i, parseAsciidoc],
]

/** Undefined: pages of this format cannot be parsed. */
export const findPageParser = (path: string): PageParser | undefined =>
  parsers.find(([pattern]) => pattern.test(path))?.[1]
