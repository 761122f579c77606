/** Template languages and inclusions in pages. Most of them apply to code as well, so they are searched in the whole page. */

import { joinPath } from '../../site-generators/site-paths.ts'
import { type ActiveItem, findItems } from '../active-content.ts'

/** Two uses of a template that differ only in literals count as the same. */
const templateKey = (text: string): string =>
  `template:${text
    .replaceAll(/"[^"\\]*"|'[^'\\]*'/g, '""') // a backslash could escape a quote
    .replaceAll(/\b\d+(?:\.\d+)?\b/g, '0')
    .replaceAll(/\s+/g, ' ')}`

const findTemplates = (text: string, pattern: RegExp): ActiveItem[] =>
  findItems(text, pattern, ([match]) => ({ kind: 'template', text: match, vocabularyKey: templateKey(match) }))

/** Liquid of Jekyll, Jinja of MkDocs plugins and MyST, and Vue's interpolation. Without an end, to the end of the line. */
const braces = /\{\{[\s\S]*?(?:\}\}|(?=\n\n)|$(?![\s\S]))/g
const tags = /\{%[\s\S]*?(?:%\}|(?=\n\n)|$(?![\s\S]))/g

export const findBraces = (text: string): ActiveItem[] => findTemplates(text, braces)
/** `raw` turns templates off. What follows it is scanned anyway. */
export const findLiquid = (text: string): ActiveItem[] =>
  [...findBraces(text), ...findTemplates(text, tags)].filter(({ text: template }) => !inertLiquid.test(template))

/** Tags that only mark text, the URL of the site, and the URLs of its pages. */
const inertLiquid =
  /^\{%-?\s*(?:(?:end)?(?:raw|comment)|endhighlight|highlight\s+\w+|(?:link|post_url)\s+[\w./-]+)\s*-?%\}$|^\{\{-?\s*(?:site\.(?:baseurl|url)|["'][\w./#-]*["'])(?:\s*\|\s*(?:relative_url|absolute_url))?\s*-?\}\}$/

/** These shortcodes of Hugo itself only render text, links and images of the site. */
const inertShortcodes = new Set(['ref', 'relref', 'figure', 'highlight', 'details'])

export const findHugoShortcodes = (text: string): ActiveItem[] =>
  findItems(text, /\{\{[<%](?!\/\*)\s*(\/?)\s*([^\s>%/]*)[\s\S]*?[>%]\}\}/g, ([match, , name = '']) =>
    inertShortcodes.has(name) && !/:\/\//.test(match)
      ? undefined
      : { kind: 'template', text: match, vocabularyKey: `shortcode:${name}` },
  )

/** The folder that a page may include files from, and the folder of the page. */
export interface IncludeScope {
  pagesFolder: string
  pageFolder: string
}

/** Whether a path in an inclusion is a file among the pages: these pages are published anyway. */
export function isAmongPages(target: string, { pagesFolder, pageFolder }: IncludeScope): boolean {
  if (/^[/\\~$@]|^[a-z][\w+.-]*:|[{}$<>|*?\s]/i.test(target.trim())) return false
  const path = joinPath(pageFolder, target.trim())
  return (
    path !== undefined && path !== '' && (pagesFolder === '' || path.startsWith(`${pagesFolder}/`)) && !isHidden(path)
  )
}

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'))

const findIncludes = (text: string, pattern: RegExp, scope: IncludeScope): ActiveItem[] =>
  findItems(text, pattern, ([match, target = '']) =>
    isAmongPages(target.replace(/:[\w:,-]*$/, ''), scope) ? undefined : { kind: 'include', text: match },
  )

/** `{{#include file.md:anchor}}` and its relatives. `{{#title}}` only sets a title. */
export const findMdbookIncludes = (text: string, scope: IncludeScope): ActiveItem[] => [
  ...findIncludes(text, /\{\{\s*#(?:include|rustdoc_include|playground|playpen)\s+([^\s}]+)[^}]*\}\}/g, scope),
  ...findItems(text, /\{\{\s*#(?!include\b|rustdoc_include\b|playground\b|playpen\b|title\b)[^}]*\}\}/g, ([match]) => ({
    kind: 'include',
    text: match,
    vocabularyKey: templateKey(match),
  })),
]

/** Snippets of PyMdown: `--8<-- "file"` and blocks of file names. They are found from the root of the site, so none is allowed. */
export const findSnippets = (text: string): ActiveItem[] =>
  findItems(text, /^.*-{1,}8<-{1,}.*$/gm, ([match]) => ({ kind: 'include', text: match }))

/** VitePress: `<<< file` and `<!--@include: file-->`. Highlighted lines may follow in braces. */
export const findVueIncludes = (text: string, scope: IncludeScope): ActiveItem[] => [
  ...findIncludes(text, /<<<\s*([^\n{]*)(?:\{.*)?$/gm, scope),
  ...findIncludes(text, /<!--\s*@include:\s*([^\n]*?)\s*(?:-->|\{|$)/gim, scope),
]

/** mdBook reads every file that its summary links to. */
export const findSummaryIncludes = (text: string, scope: IncludeScope): ActiveItem[] =>
  findItems(text, /\]\(\s*<?([^)>]+)/g, ([match, target = '']) =>
    /^https?:/i.test(target) || isAmongPages(target, scope) ? undefined : { kind: 'include', text: match },
  )

/** Retype and similar: `:::code source="…"`. */
export const findCodeSources = (text: string, scope: IncludeScope): ActiveItem[] =>
  findIncludes(text, /^:::\s*code\b.*?source=["']?([^"'\s]+).*$/gm, scope)
