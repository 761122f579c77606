/** All active content of a page, by its format. */
import type { PageFormat } from '../site-generators/page-format.ts'
import type { PageExtension } from '../site-generators/site-generator.ts'
import { folderOf } from '../site-generators/site-paths.ts'
import { type ActiveItem, findItems } from './active-content.ts'
import { findAsciidocContent } from './formats/asciidoc.ts'
import { splitFrontMatter } from './formats/front-matter.ts'
import { findMdxContent } from './formats/mdx.ts'
import { findMystContent, findRstContent, withoutRstEscapes } from './formats/restructuredtext.ts'
import {
  findCodeSources,
  findHugoShortcodes,
  findLiquid,
  findMdbookIncludes,
  findSnippets,
  findSummaryIncludes,
  findVueIncludes,
  type IncludeScope,
} from './formats/templates.ts'
import { findVueContent } from './formats/vue.ts'
import { maskAgreedCode, maskCommonMarkCode } from './mask-code.ts'
import { findActiveHtml } from './scan-html.ts'
import { findScriptUrls } from './scan-urls.ts'

export interface PageToInspect {
  path: string
  text: string
  format: PageFormat
  /** Files in this folder may be included. */
  pagesFolder: string
  extensions: readonly PageExtension[]
}

/** Formats whose generators, or some of them, render front matter as a part of the page. */
const formatsWithoutFrontMatter: ReadonlySet<PageFormat> = new Set([
  'any-markdown',
  'asciidoc',
  'liquid-markdown',
  'mdbook-markdown',
  'python-markdown',
  'restructuredtext',
])

export function inspectPage(page: PageToInspect): ActiveItem[] {
  // Some parsers end a line at a lone carriage return.
  const text = page.text.replaceAll(/\r\n?/g, '\n')
  const { body, items } = splitFrontMatter(text)
  const frontMatter = text.slice(0, text.length - body.trimStart().length)
  return [
    ...items,
    ...findActiveHtml(frontMatter),
    ...findScriptUrls(frontMatter),
    ...inspectBody(page, formatsWithoutFrontMatter.has(page.format) ? text : body),
  ]
}

function inspectBody({ path, format, pagesFolder, extensions }: PageToInspect, body: string): ActiveItem[] {
  const scope: IncludeScope = { pagesFolder, pageFolder: folderOf(path) }
  switch (format) {
    case 'mdx':
      return inspectMdx(path, body)
    case 'markdown':
      return inspectMarkup(maskCommonMarkCode(body))
    case 'vue-markdown': {
      const text = maskCommonMarkCode(body)
      return [...inspectMarkup(text), ...findVueContent(body, text, scope)]
    }
    case 'python-markdown':
      if (!extensions.includes('macros')) return [...inspectMarkup(maskAgreedCode(body)), ...findSnippets(body)]
      return [
        ...inspectTemplatedMarkup(body, maskAgreedCode),
        ...findSnippets(body),
        ...findLiquid(body),
        ...findItems(body, /\{#[\s\S]*?(?:#\}|$(?![\s\S]))/g, ([match]) => ({ kind: 'template', text: match })),
      ]
    case 'liquid-markdown':
      return [...inspectTemplatedMarkup(body, maskAgreedCode), ...findLiquid(body), ...findKramdownExtensions(body)]
    case 'hugo-markdown':
      return [
        ...inspectTemplatedMarkup(body, maskCommonMarkCode),
        ...findHugoShortcodes(body),
        // What is between shortcodes reaches the page as it is, also in code.
        ...[...body.matchAll(/\{\{<\s*([\w/.-]+)[^>]*>\}\}([\s\S]*?)\{\{<\s*\/\1\s*>\}\}/g)].flatMap(
          ([, , inner = '']) => findActiveHtml(inner),
        ),
      ]
    case 'mdbook-markdown':
      return [
        ...inspectTemplatedMarkup(body, maskCommonMarkCode),
        ...findMdbookIncludes(body, scope),
        ...(path.endsWith('SUMMARY.md') ? findSummaryIncludes(body, scope) : []),
      ]
    case 'myst': {
      const text = maskCommonMarkCode(body)
      return [...inspectMarkup(text), ...findMystContent(body, text, scope)]
    }
    case 'restructuredtext':
      return [...findScriptUrls(body), ...findScriptUrls(withoutRstEscapes(body)), ...findRstContent(body, scope)]
    case 'asciidoc':
      return [...findScriptUrls(body), ...findAsciidocContent(body, scope)]
    case 'any-markdown': {
      const text = maskAgreedCode(body)
      return [
        ...inspectMarkup(text),
        ...findVueContent(body, text, scope).filter(({ kind }) => kind !== 'component'),
        ...findLiquid(text),
        ...findModuleLines(text),
        ...findSnippets(body),
        ...findMdbookIncludes(body, scope),
        ...findVueIncludes(body, scope),
        ...findCodeSources(body, scope),
        ...findMystContent(body, '', scope),
      ]
    }
  }
}

const inspectMarkup = (text: string): ActiveItem[] => [
  ...findActiveHtml(text),
  ...findScriptUrls(text),
  ...findLinksToHiddenFiles(text),
]

/** Several generators publish files that a page links to. `.git/config` can contain a token in CI. */
const findLinksToHiddenFiles = (text: string): ActiveItem[] =>
  findItems(text, /(?:\]\(\s*<?|\]:\s*<?|(?:src|href)\s*=\s*["']?)([^)\s>"']+)/g, ([match, target = '']) => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(target)) return undefined
    const isHidden = /(?:^|\/)\.(?!\.?(?:\/|$))/.test(target.replace(/^(?:\.\/)+/, ''))
    const isUnusual = /^@site\/(?:.*\/)?\.\.|[?&](?:raw|url|inline|worker|sharedworker)\b|(?:\.\.\/){6}/.test(target)
    return isHidden || isUnusual ? { kind: 'include', text: match } : undefined
  })

/** Also as it is after a template language has removed its tags and comments. */
function inspectTemplatedMarkup(text: string, mask: (text: string) => string): ActiveItem[] {
  const rendered = text
    .replaceAll(
      /\{%-?\s*comment\s*-?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}|\{::comment\}[\s\S]*?\{:\/(?:comment)?\}/g,
      '',
    )
    .replaceAll(/\{#[\s\S]*?#\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}/g, '')
  const items = inspectMarkup(mask(text))
  return rendered === text ? items : [...items, ...inspectMarkup(mask(rendered))]
}

function inspectMdx(path: string, body: string): ActiveItem[] {
  const content = findMdxContent(body, folderOf(path))
  if (content) {
    const { items, textWithoutCode } = content
    return [...items, ...findScriptUrls(textWithoutCode), ...findLinksToHiddenFiles(textWithoutCode)]
  }
  // The page is not valid MDX: every line that could be compiled counts, so that only an equally broken page is accepted.
  return [
    { kind: 'unparsable', text: 'the page is not valid MDX', line: 1 },
    ...findItems(body, /^.*(?:[{}]|<[A-Za-z]).*$/gm, ([match]) => ({ kind: 'expression', text: match })),
    ...findModuleLines(body),
    ...inspectMarkup(body),
  ]
}

const findModuleLines = (text: string): ActiveItem[] =>
  findItems(text, /^(?:import|export)\s+(?:[\w*{"']).*$/gm, ([match]) =>
    /^import\s+(?:["'{*]|\w+(?:\s*,.*)?\s+from\s)|^export\s+(?:const|let|var|default|function|async|class|\{|\*)/.test(
      match,
    )
      ? { kind: match.startsWith('import') ? 'import' : 'export', text: match }
      : undefined,
  )

/** kramdown: `{::nomarkdown}` passes HTML through, `{::options}` changes the parser. */
const findKramdownExtensions = (text: string): ActiveItem[] =>
  findItems(text, /\{::(?!comment\b|\/)[^}]*\}/g, ([match]) => ({ kind: 'directive', text: match }))
