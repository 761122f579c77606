/**
 * Finds the title and the summary of the pull request in an agent's final message. Models forget formats: a missing or malformed
 * block still produces a sensible result, never an error. Every step searches for fixed strings, so no input makes it slow.
 */
export interface FinalMessage {
  /** One line. Null: nothing in the message can serve as a title. */
  title: string | null
  summary: string | null
  /** The message without the block, for the person. If nothing is left, the summary. */
  reply: string | null
}

const maxTitleCharacters = 200
const maxSummaryCharacters = 60_000
/** For a first line that is not marked as a title. A longer line is probably a sentence. */
const maxGuessedTitleCharacters = 100

export function parseFinalMessage(message: string): FinalMessage {
  const block = lastBlock(message)
  if (!block) return guessText(message)
  const title = taggedText(block.text, 'title') ?? labeledText(block.text, 'title')
  const taggedSummary = taggedText(block.text, 'summary') ?? labeledText(block.text, 'summary')
  const guessed = guessText(withoutTags(block.text))
  const summary = truncate(withoutTags(taggedSummary ?? (title === undefined ? (guessed.summary ?? '') : '')))
  return {
    title: title === undefined ? guessed.title : toTitle(title),
    summary,
    reply: truncate(withoutCodeFence(block.before)) ?? summary,
  }
}

/** The last block counts, because a model may quote the format or end twice. An unclosed block extends to the end. */
function lastBlock(message: string): { text: string; before: string } | undefined {
  const lower = message.toLowerCase()
  const open = lower.lastIndexOf('<pull-request>')
  if (open === -1) return undefined
  const start = open + '<pull-request>'.length
  const end = lower.indexOf('</pull-request>', start)
  return { text: message.slice(start, end === -1 ? undefined : end), before: message.slice(0, open) }
}

function taggedText(text: string, tag: string): string | undefined {
  const lower = text.toLowerCase()
  const open = lower.indexOf(`<${tag}>`)
  if (open === -1) return undefined
  const start = open + tag.length + 2
  const end = lower.indexOf(`</${tag}>`, start)
  return text.slice(start, end === -1 ? undefined : end)
}

/** `Title: …` and `Summary: …` instead of tags. */
function labeledText(text: string, label: 'title' | 'summary'): string | undefined {
  const lines = text.split('\n')
  const index = lines.findIndex((line) => withoutMarkup(line).toLowerCase().startsWith(`${label}:`))
  if (index === -1) return undefined
  const rest = withoutMarkup(lines[index] ?? '').slice(label.length + 1)
  return label === 'title' ? rest : [rest, ...lines.slice(index + 1)].join('\n')
}

/** For a message without a block: a short first line that is followed by a blank line is probably a title. */
function guessText(message: string): FinalMessage {
  const title = labeledText(message, 'title')
  if (title !== undefined)
    return { title: toTitle(title), summary: truncate(labeledText(message, 'summary') ?? ''), reply: truncate(message) }
  const lines = message.trim().split('\n')
  const first = toTitle(lines[0] ?? '')
  const looksLikeTitle =
    first !== null &&
    first.length <= maxGuessedTitleCharacters &&
    (lines.length === 1 || (lines[1] ?? '').trim() === '') &&
    !/[.:!?]$/.test(first)
  if (!looksLikeTitle) return { title: null, summary: truncate(message), reply: truncate(message) }
  return { title: first, summary: truncate(lines.slice(1).join('\n')), reply: truncate(message) }
}

function toTitle(text: string): string | null {
  const line = withoutMarkup(withoutTags(text).replaceAll(/\s+/g, ' '))
  if (line === '') return null
  return line.length <= maxTitleCharacters
    ? line
    : `${line
        .slice(0, maxTitleCharacters - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Removes the Markdown markup around a line. */
function withoutMarkup(line: string): string {
  return line
    .trim()
    .replace(/^(?:#{1,6} |[*_`"'>-]+ ?)+/, '')
    .replace(/[*_`"']+$/, '')
    .trim()
}

const withoutTags = (text: string) => text.replaceAll(/<\/?(?:pull-request|title|summary)>/gi, '')
const withoutCodeFence = (text: string) => text.replace(/```\w*\s*$/, '')

function truncate(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  return trimmed.length <= maxSummaryCharacters ? trimmed : `${trimmed.slice(0, maxSummaryCharacters).toWellFormed()}…`
}
