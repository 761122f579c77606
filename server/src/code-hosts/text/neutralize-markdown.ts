/**
 * Parses an agent's Markdown into the few supported blocks (paragraphs, headings, lists, code) and writes it again with
 * everything else escaped. Everything that is not supported (HTML, images, links, comments, entities) is shown as the
 * characters that the agent wrote. Nothing can be loaded, linked or hidden, because the writer emits nothing else.
 */
import { neutralizeInline, neutralizeText, removeInvisibleCharacters } from './neutralize-text.ts'

type Block =
  | { kind: 'paragraph'; lines: string[] }
  | { kind: 'heading'; text: string }
  | { kind: 'item'; level: number; marker: string; text: string }
  | { kind: 'code'; language: string; code: string }

export function neutralizeMarkdown(text: string): string {
  const blocks = parseBlocks(removeInvisibleCharacters(text).split('\n'))
  return blocks.map((block, index) => separator(blocks[index - 1], block) + writeBlock(block)).join('')
}

function parseBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let isParagraphOpen = false
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const last = blocks.at(-1)
    const fence = /^( *)(`{3,}|~{3,}) *([^`]*)$/.exec(line)
    const item = /^( *)([-*+]|\d{1,9}[.)]) +(\S.*)$/.exec(line)
    const heading = /^ {0,3}#{1,6} +(\S.*?)(?: +#+)? *$/.exec(line)
    if (fence) {
      const code = readCode(lines.slice(index + 1), fence)
      blocks.push(code.block)
      index += code.lineCount
    } else if (item) {
      const [, indent = '', marker = '', text = ''] = item
      const deepest = last?.kind === 'item' ? last.level + 1 : 0
      const level = Math.min(Math.floor(indent.length / 2), deepest, 3)
      blocks.push({ kind: 'item', level, marker: /\d/.test(marker) ? `${Number.parseInt(marker, 10)}.` : '-', text })
    } else if (heading) {
      blocks.push({ kind: 'heading', text: heading[1] ?? '' })
    } else if (line.trim() !== '') {
      if (isParagraphOpen && last?.kind === 'paragraph') last.lines.push(line.trim())
      else blocks.push({ kind: 'paragraph', lines: [line.trim()] })
    }
    isParagraphOpen = blocks.at(-1)?.kind === 'paragraph' && line.trim() !== ''
  }
  return blocks
}

/** Reads up to the closing fence, or to the end of the text. */
function readCode(lines: readonly string[], fence: RegExpExecArray): { block: Block; lineCount: number } {
  const [, indent = '', mark = '', info = ''] = fence
  const isClosing = (line: string) => {
    const closing = line.trim()
    return closing.length >= mark.length && closing === mark.charAt(0).repeat(closing.length)
  }
  const end = lines.findIndex(isClosing)
  const codeLines = end < 0 ? lines : lines.slice(0, end)
  const withoutIndent = new RegExp(`^ {0,${indent.length}}`)
  const language = /^[a-z]{1,20}$/i.exec(info.trim())?.[0] ?? ''
  const code = neutralizeText(codeLines.map((line) => line.replace(withoutIndent, '').trimEnd()).join('\n'))
  return { block: { kind: 'code', language, code }, lineCount: end < 0 ? lines.length : end + 1 }
}

function separator(before: Block | undefined, block: Block): string {
  if (!before) return ''
  return before.kind === 'item' && block.kind === 'item' ? '\n' : '\n\n'
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return block.lines.map(writeLine).join('\n')
    case 'heading':
      return `### ${writeLine(block.text).replace(/(?<= )#+$/, '\\$&')}`
    case 'item':
      return `${'  '.repeat(block.level)}${block.marker} ${writeLine(block.text)}`
    case 'code': {
      const fence = '`'.repeat(Math.max(3, longestRun(block.code) + 1))
      return [fence + block.language, block.code, fence].join('\n')
    }
  }
}

/** One line of text that may contain code spans. */
function writeLine(line: string): string {
  const written = splitCodeSpans(line).map((part, index) => {
    if ('code' in part) return writeCodeSpan(neutralizeInline(part.code).trim())
    const text = unescapeText(part.text)
    return escapeText(index === 0 ? neutralizeText(text) : neutralizeInline(text))
  })
  // A space keeps them apart, because parsers disagree on how to count backticks after an escaped one.
  return escapeLineStart(
    written.reduce((line, part) => line + (/\\`$/.test(line) && part.startsWith('`') ? ' ' : '') + part),
  )
}

type Part = { text: string } | { code: string }

/** A code span is enclosed by two equally long runs of backticks. A backslash before the first run makes it plain text. */
function splitCodeSpans(line: string): Part[] {
  const parts: Part[] = []
  let text = ''
  for (let rest = line; rest !== ''; ) {
    const [span = '', , code = ''] = /^(`+)(?!`)(.+?)(?<!`)\1(?!`)/.exec(rest) ?? []
    if (code.trim() !== '') {
      parts.push({ text }, { code })
      text = ''
      rest = rest.slice(span.length)
    } else {
      const [plain = rest] = /^(?:\\[!-/:-@[-`{-~]|`+|[^\\`]+|\\)/.exec(rest) ?? []
      text += plain
      rest = rest.slice(plain.length)
    }
  }
  return [...parts, { text }]
}

function writeCodeSpan(code: string): string {
  const mark = '`'.repeat(longestRun(code) + 1)
  const padding = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return mark + padding + code + padding + mark
}

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))

const unescapeText = (text: string) => text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
const escapeText = (text: string) => text.replace(/[\\`*_[\]<>&|~$^]/g, '\\$&')

/** Escapes what starts a list, a heading or a thematic break, at the start of a line only. */
const escapeLineStart = (line: string) => line.replace(/^[-+=#:]/, '\\$&').replace(/^(\d{1,9})(?=[.)])/, '$1\\')
