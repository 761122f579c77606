/** The markup language of a page, and the template language that its generator applies to it. */
export type PageFormat =
  /** Markdown of an unknown generator: every template language may apply to it. */
  | 'any-markdown'
  /** CommonMark with HTML, without a template language. */
  | 'markdown'
  /** Markdown of MkDocs and Zensical (Python-Markdown, with snippets). */
  | 'python-markdown'
  /** Markdown that VitePress compiles as a Vue template. */
  | 'vue-markdown'
  /** Markdown or HTML to which Jekyll applies Liquid. */
  | 'liquid-markdown'
  /** Markdown with Hugo's shortcodes. */
  | 'hugo-markdown'
  /** Markdown with mdBook's `{{#include}}`. */
  | 'mdbook-markdown'
  /** Markdown with directives and roles of Sphinx. */
  | 'myst'
  | 'mdx'
  | 'restructuredtext'
  | 'asciidoc'

const formatsByExtension: Readonly<Record<string, PageFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'mdx',
  rst: 'restructuredtext',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
}

export const extensionOf = (path: string): string => /[^./]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''

/** By the extension alone. Undefined: not a page. */
export const commonPageFormat = (path: string): PageFormat | undefined => formatsByExtension[extensionOf(path)]

export const isPage = (path: string): boolean => commonPageFormat(path) !== undefined

/** Pages whose Markdown files are in the given format; other formats as usual. */
export function pageFormatWithMarkdown(path: string, markdown: PageFormat): PageFormat | undefined {
  const format = commonPageFormat(path)
  return format === 'markdown' ? markdown : format
}
