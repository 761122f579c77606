/** VitePress compiles a page as a Vue template. Code blocks and code spans are not compiled, unless their language ends in `-vue`. */
import { type ActiveItem, findItems, toItemText } from '../active-content.ts'
import { listHtmlTags } from '../scan-html.ts'
import { findBraces, findVueIncludes, type IncludeScope } from './templates.ts'

/** Elements of HTML that only structure text. Every other name may be a component. */
const textElements = new Set(
  `a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl dt em figcaption figure
  footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p picture pre q rp rt ruby s samp section small source span strong
  sub summary sup table tbody td tfoot th thead time tr track u ul var video audio wbr center font`.split(/\s+/),
)

export const isTextElement = (name: string): boolean => textElements.has(name.toLowerCase())

/** `page` is the whole page, `text` the page without code. */
export function findVueContent(page: string, text: string, scope: IncludeScope): ActiveItem[] {
  const items = [...findBraces(text), ...findVueIncludes(page, scope)]
  // Titles and languages of code blocks are compiled, although the code is not.
  items.push(
    ...findItems(page, /^[\s>*+-]*(?:`{3,}|~{3,}).*(?:\{\{|-vue\b|<).*$/gm, ([match]) => ({
      kind: 'template',
      text: match,
    })),
  )
  items.push(
    ...findItems(text, /\{[^{}\n]*(?<=[\s{])(?:v-|[:@])[\w:.-]+\s*=[^{}\n]*/g, ([match]) => ({
      kind: 'attribute',
      text: match,
    })),
  )
  for (const { name, attributes, text: tagText, line } of listHtmlTags(text)) {
    const item = { text: toItemText(tagText), line }
    if (/(?:^|[\s"'/])(?:v-(?!pre[\s=/>])[^\s=>]*|[:@#.][^\s=>]+|is|ref|key)(?:\s*=|[\s/>])/.test(attributes))
      items.push({ kind: 'attribute', ...item })
    if (!isTextElement(name)) items.push({ kind: 'component', ...item, vocabularyKey: `component:${name}` })
  }
  return items
}
