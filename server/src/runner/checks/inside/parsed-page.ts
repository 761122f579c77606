/** What the checks need of a page, whatever its format. */
export interface ParsedPage {
  /** Undefined: the front matter is valid, or there is none. */
  frontMatterError: string | undefined
  syntax: SyntaxResult
  /** Undefined: the page could not be parsed, so its links are not known. */
  links: readonly Link[] | undefined
  /** Possible targets of a link after `#`. Undefined: the page generates some while it is rendered. */
  anchors: ReadonlySet<string> | undefined
}

export type SyntaxResult =
  | { kind: 'checked'; errors: readonly SyntaxProblem[] }
  /** A whole sentence. */
  | { kind: 'not_checked'; reason: string }

export interface SyntaxProblem {
  /** Does not contain the line, so that the same problem in two versions of a page has the same text. */
  text: string
  line: number | undefined
}

export interface Link {
  target: string
  line: number
  rule: LinkRule
}

/**
 * How the target is resolved. `url`: a link in Markdown or HTML. `sphinx-document`: a document without its extension.
 * `sphinx-file`: an image or another file. `asciidoc-page` and `asciidoc-image`: as Antora and Asciidoctor do. `jekyll-file`: a file
 * of the site. `hugo-page`: a page by its path in the content.
 */
export type LinkRule =
  | 'url'
  | 'sphinx-document'
  | 'sphinx-file'
  | 'asciidoc-page'
  | 'asciidoc-image'
  | 'jekyll-file'
  | 'hugo-page'

/** The line of a position in a text, from 1. */
export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length
