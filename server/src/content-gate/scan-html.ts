/** HTML in pages. The scan is stricter than a parser: generators differ in what they take for a tag. */
import { type ActiveItem, createLineFinder, findItems, toItemText } from './active-content.ts'

/** Elements that execute something, load something or change the page around them. */
const activeElements = new Set(
  `iframe frame frameset object embed applet form base meta link template noscript portal xml import foreignobject animate
  animatetransform set handler html head body title plaintext xmp noembed noframes textarea isindex svg math`.split(
    /\s+/,
  ),
)

export interface HtmlTag {
  name: string
  /** The text after the name, up to the next tag or empty line: parsers disagree on quotes and `>` in it. */
  attributes: string
  text: string
  line: number
}

const maxTagCharacters = 4_000
const autolink = /^<(?:[a-zA-Z][\w+.-]{1,31}:\/\/[^\s<>]*|mailto:[^\s<>]*|[\w.+-]+@[\w.-]+)>/

/** Every `<` with a name is a tag, whatever is around it: in comments and quotes as well. */
export function listHtmlTags(text: string): HtmlTag[] {
  const lineOf = createLineFinder(text)
  return [...text.matchAll(/<(?!\/)([a-zA-Z][\w:.@-]*)/g)].flatMap((match): HtmlTag[] => {
    const rest = text.slice(match.index, match.index + maxTagCharacters)
    if (autolink.test(rest)) return []
    const end = /<(?=[a-zA-Z/!?])|\n[^\S\n]*\n/.exec(rest.slice(1))?.index ?? rest.length
    const window = rest.slice(0, end + 1)
    const tagText = window.includes('>') ? window.slice(0, window.lastIndexOf('>') + 1) : window
    const attributes = window.slice(match[0].length)
    return [{ name: match[1] ?? '', attributes, text: tagText, line: lineOf(match.index) }]
  })
}

/** Event handlers, attributes that contain a document, and lists of attributes such as `{: onclick="…"}`. */
const eventHandler = /(?:^|[\s"'/])(on[a-z]+|srcdoc|formaction|xlink:href|http-equiv)\s*=/i
const attributeList = /\{:?(?:"[^"]*"|'[^']*'|[^{}"'])*?(?<=[\s:{"'])(?:on[a-z]+|srcdoc|formaction)\s*=[^{}\n]*/gi

/** `text` must be without code. */
export function findActiveHtml(text: string): ActiveItem[] {
  const items: ActiveItem[] = []
  for (const { name, attributes, text: tagText, line } of listHtmlTags(text)) {
    const lowerName = name.toLowerCase()
    const item = { text: toItemText(tagText), line }
    if (activeElements.has(lowerName.replace(/^.*:/, ''))) items.push({ kind: 'html_element', ...item })
    else if (lowerName.includes('-')) items.push({ kind: 'component', ...item, vocabularyKey: `component:${name}` })
    if (eventHandler.test(attributes)) items.push({ kind: 'event_handler', ...item })
  }
  items.push(...findItems(text, attributeList, ([match]) => ({ kind: 'event_handler', text: match })))
  items.push(...findRawTextElements(text))
  return items
}

/** Scripts and styles with their contents: a changed script is not the script that was there before. */
const findRawTextElements = (text: string): ActiveItem[] =>
  findItems(text, /<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$(?![\s\S]))/gi, ([match]) => ({
    kind: 'html_element',
    text: match,
  }))
