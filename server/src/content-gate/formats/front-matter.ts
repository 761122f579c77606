/** Front matter: data in YAML, TOML or JSON at the beginning of a page. */

import { parse as parseToml } from 'smol-toml'
import { isAlias, isMap, isScalar, parseDocument, visit } from 'yaml'
import { type ActiveItem, toItemText } from '../active-content.ts'
import { findActiveHtml } from '../scan-html.ts'
import { findScriptUrls } from '../scan-urls.ts'

export interface SplitPage {
  /** The page without its front matter. Line numbers stay the same. */
  body: string
  items: ActiveItem[]
}

/** Fields that generators treat as code, layout or HTML, or that include something. They need to be in use at the base commit. */
const activeKey =
  /^(?:layout|template|type|head|script|scripts|style|styles|css|js|extra_css|extra_javascript|include|import|redirect.*|cascade|outputs|build|eval|jupytext|kernelspec|file_format|mystnb|execute|execution_mode|substitutions|html_meta|url|aliases|render_macros|macros|hide_macros|pageClass|component|components|prev|next|hero|banner|wrapperClassName|layoutClass|jsonld|schema|tags_html|custom_edit_url|page-layout|permalink|published|engine|hooks|theme|themes|plugins|transforms?|loader)$/i
/** Fields that always execute something where they mean anything. */
const executableKey =
  /^(?:head|myst|mdx|markup|script|scripts|js|extra_javascript|jupytext|kernelspec|file_format|mystnb|execute|execution_mode|eval|substitutions|html_meta|render_macros|hooks|plugins|engine|cascade|outputs)$/i

const dataLanguages = new Set(['', 'yaml', 'yml', 'toml', 'json'])

export function splitFrontMatter(text: string): SplitPage {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const lineEnd = source.indexOf('\n')
  const firstLine = (lineEnd < 0 ? source : source.slice(0, lineEnd)).trimEnd()
  const opening = /^(---|\+\+\+|;;;)(?!-)(.*)$/.exec(firstLine)
  if (!opening) return { body: source, items: findJsonFrontMatter(source) }
  const [, fence = '', languageText = ''] = opening
  const language = languageText.trim().toLowerCase()
  if (!dataLanguages.has(language) || (fence !== '---' && language !== ''))
    return { body: source, items: [{ kind: 'front_matter', text: toItemText(firstLine), line: 1 }] }
  const rest = source.slice(lineEnd + 1)
  const closing = lineEnd < 0 ? null : closingOf(fence).exec(rest)
  if (!closing) {
    // A thematic break for some generators, and for others front matter up to the end of the page.
    const isLikeFields = /^\s*[\w"'-]+\s*[:=]/.test(rest)
    return { body: source, items: isLikeFields ? [{ kind: 'front_matter', text: toItemText(firstLine), line: 1 }] : [] }
  }
  const content = rest.slice(0, closing.index)
  const end = lineEnd + 1 + closing.index + closing[0].length
  const body = source.slice(0, end).replaceAll(/[^\n]/g, '') + source.slice(end)
  // Some parsers end front matter at any line that starts like its end.
  const earlyEnd = /^(?:---|\+\+\+).*$/m.exec(content)
  if (earlyEnd) return { body: source, items: [{ kind: 'front_matter', text: toItemText(earlyEnd[0]), line: 1 }] }
  const isToml = fence === '+++' || language === 'toml'
  return { body, items: isToml ? findInToml(content) : findInYaml(content) }
}

const closingOf = (fence: string): RegExp =>
  fence === '---'
    ? /^(?:---|\.\.\.)[^\S\n]*(?:\n|$)/m
    : fence === '+++'
      ? /^\+\+\+[^\S\n]*(?:\n|$)/m
      : /^;;;[^\S\n]*(?:\n|$)/m

/** Hugo reads a page that starts with `{` as JSON, and several generators skip empty lines before front matter. Nobody writes that. */
const findJsonFrontMatter = (source: string): ActiveItem[] =>
  /^\{\s*["\n]|^\s+(?:---|\+\+\+)[^\S\n]*\n\s*[\w"'-]+\s*[:=]/.test(source)
    ? [{ kind: 'front_matter', text: toItemText(source.slice(0, 100)), line: 1 }]
    : []

function findInYaml(content: string): ActiveItem[] {
  const lines = content.split('\n')
  const item = (text: string, line: number): ActiveItem => ({ kind: 'front_matter', text: toItemText(text), line })
  // Parsers disagree on whether these end a line: a comment for one is a field for another.
  if (/[\u0085\u2028\u2029\ufeff]/.test(content)) return [item('an unusual line break', 1)]
  const document = parseDocument(content, { logLevel: 'silent' })
  const [error] = document.errors
  if (error) return [item(error.message.split('\n')[0] ?? '', 1)]
  const items: ActiveItem[] = []
  const lineOf = (offset: number) => content.slice(0, offset).split('\n').length + 1
  visit(document, {
    Node(_key, node) {
      const range = 'range' in node && node.range ? node.range : undefined
      // An explicit tag is on the line of its value, or at its end.
      const lineBefore = range && content.slice(0, range[0]).split('\n').at(-1)
      if (range && 'tag' in node && node.tag !== undefined && lineBefore?.includes('!'))
        items.push(item(lines[lineOf(range[0]) - 2] ?? node.tag, lineOf(range[0])))
      if (isAlias(node) && range) items.push(item(`*${node.source}`, lineOf(range[0])))
      // The value as it is after escapes are resolved.
      if (isScalar(node) && typeof node.value === 'string')
        items.push(...findInValue(node.value, range ? lineOf(range[0]) : 1))
    },
  })
  if (isMap(document.contents)) {
    for (const { key } of document.contents.items) {
      const name = isScalar(key) ? String(key.value) : String(key)
      const range = (key as { range?: [number, number, number] }).range
      const text = range ? sourceOfField(content, range[0]) : name
      items.push(...fieldItems(name, text, range ? lineOf(range[0]) : 1))
    }
  }
  return items
}

/** The lines of a field: its own and those that are indented below it. */
function sourceOfField(content: string, start: number): string {
  const rest = content.slice(start)
  const end = /\n(?=[^\s#-])/.exec(rest)?.index
  return rest.slice(0, end)
}

function findInToml(content: string): ActiveItem[] {
  try {
    const data = parseToml(content)
    const items = Object.entries(data).flatMap(([name, value]) =>
      fieldItems(name, `${name} = ${JSON.stringify(value)}`, 1),
    )
    return [...items, ...findInValue(JSON.stringify(data), 1)]
  } catch (error) {
    return [{ kind: 'front_matter', text: toItemText(String(error)), line: 1 }]
  }
}

function fieldItems(name: string, text: string, line: number): ActiveItem[] {
  // Translations of a page have the same head.
  if (name === 'head')
    return [{ kind: 'front_matter', text: toItemText(text), line, vocabularyKey: `front_matter:${toItemText(text)}` }]
  if (executableKey.test(name)) return [{ kind: 'front_matter', text: toItemText(text), line }]
  if (activeKey.test(name))
    return [{ kind: 'front_matter', text: toItemText(text), line, vocabularyKey: `front_matter:${name}` }]
  return []
}

/** HTML, links to scripts and names of event handlers in a value or a nested key. */
function findInValue(value: string, line: number): ActiveItem[] {
  const isHandler = /^on[a-z]{3,}$/i.test(value)
  const found = [...findActiveHtml(value), ...findScriptUrls(value)].map((item) => ({ ...item, line }))
  return isHandler ? [...found, { kind: 'event_handler', text: value, line }] : found
}
