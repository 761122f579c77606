/** Blanks code in Markdown, so that only what is rendered as markup is scanned. Offsets and lines stay the same. */
import { fromMarkdown } from 'mdast-util-from-markdown'

interface MarkdownNode {
  type: string
  children?: MarkdownNode[]
  position?: { start: { offset?: number }; end: { offset?: number } }
}

/** For generators that follow CommonMark: fenced code and code spans, wherever they are. */
export const maskCommonMarkCode = (text: string): string => maskCodeNodes(text, fromMarkdown(text) as MarkdownNode)

/** Directives of MyST whose body is code. The body of the others is Markdown. */
const codeDirective = /^\{(?:code|code-block|sourcecode|code-cell|literalinclude|math|mermaid)\}/
const tableDelimiter = /^[\s|:-]*-[\s|:-]*\|[\s|:-]*$|^\s*\|[\s|:-]*-[\s|:-]*$/m

/** Blanks the code of a parsed page. */
export function maskCodeNodes(text: string, root: MarkdownNode): string {
  const ranges: [number, number][] = []
  const collect = (node: MarkdownNode, outerParagraph: string): void => {
    const start = node.position?.start.offset ?? 0
    const end = node.position?.end.offset ?? 0
    const source = text.slice(start, end)
    const paragraph = node.type === 'paragraph' ? source : outerParagraph
    if (isCertainlyCode(node, source, paragraph)) ranges.push([start, end])
    // An escaped tag is text, but not in HTML: there the backslash is text, and the tag is a tag.
    if (node.type === 'text')
      for (const { index } of source.matchAll(/(?<=(?<!\\)(?:\\\\)*)\\</g))
        ranges.push([start + index, start + index + 2])
    for (const child of node.children ?? []) collect(child, paragraph)
  }
  collect(root, '')
  return blankRanges(text, ranges)
}

/** What extensions of CommonMark take for something else is not blanked: footnotes, definition lists, tables, containers. */
function isCertainlyCode(node: MarkdownNode, source: string, paragraph: string): boolean {
  if (node.type === 'code') {
    const opening = /^\s*(?:`{3,}|~{3,})\s*(.*)/.exec(source)
    return opening !== null && (!opening[1]?.startsWith('{') || codeDirective.test(opening[1]))
  }
  return node.type === 'inlineCode' && !source.includes('\n') && !isInTable(source, paragraph)
}

/** Table cells end at a bar, also in code. */
export const isInTable = (code: string, paragraph: string): boolean =>
  /(?<!\\)\|/.test(code) && tableDelimiter.test(paragraph)

const backtickFence = /^(`{3,})[\w#.+-]*\n(?:[\s\S]*?\n)??\1[^\S\n]*$/gm
const codeSpan = /(?<![\\`])(`+)(?!`)([^\n|]*?[^`\n|])\1(?!`)/g
const blockHtml =
  /<!--|<(address|article|aside|blockquote|body|canvas|center|details|dialog|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hgroup|hr|html|iframe|legend|li|main|map|menu|nav|noscript|object|ol|p|pre|script|section|style|summary|table|tbody|td|template|tfoot|th|thead|tr|ul|video)\b/gi
const maxRounds = 20

/**
 * For Python-Markdown and kramdown, which differ from CommonMark and from each other in what is code: only what all of them take
 * for code, also without extensions. Indented code is not blanked, because the same indentation is a paragraph in a list. Backticks in
 * HTML blocks and comments are text, so they are replaced first; this can reveal further blocks.
 */
export function maskAgreedCode(text: string): string {
  let current = text
  for (let round = 0; round < maxRounds; round++) {
    const withoutFences = blankRanges(current, rangesOf(current, backtickFence))
    const masked = blankRanges(withoutFences, rangesOf(withoutFences, codeSpan))
    const next = replaceBackticksInHtml(current, masked)
    if (next === current) return masked
    current = next
  }
  return text
}

function replaceBackticksInHtml(text: string, masked: string): string {
  let replaced = text
  for (const { index, 1: name } of masked.matchAll(blockHtml)) {
    const end = name === undefined ? endOfComment(text, index) : endOfElement(text, index, name)
    replaced = replaced.slice(0, index) + replaced.slice(index, end).replaceAll('`', "'") + replaced.slice(end)
  }
  return replaced
}

function endOfComment(text: string, start: number): number {
  const end = text.indexOf('-->', start)
  return end < 0 ? text.length : end + 3
}

/** The end of the text if the element is not closed. */
function endOfElement(text: string, start: number, name: string): number {
  let depth = 0
  for (const { index, 0: tag } of text.slice(start).matchAll(new RegExp(`</?${name}\\b[^<>]*>?`, 'gi'))) {
    depth += tag.startsWith('</') ? -1 : 1
    if (depth === 0) return start + index + tag.length
  }
  return text.length
}

const rangesOf = (text: string, pattern: RegExp): [number, number][] =>
  [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length])

function blankRanges(text: string, ranges: readonly (readonly [number, number])[]): string {
  let masked = ''
  let position = 0
  for (const [start, end] of ranges) {
    if (start < position) continue
    masked += text.slice(position, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ')
    position = end
  }
  return masked + text.slice(position)
}
