/**
 * Finds title and summary for the pull request in an agent's last message. Models forget forms: a missing or odd block still
 * gives something sensible, and never an error. Every step is a search for fixed words, so no text makes it slow.
 */
export interface PullRequestWords {
  /** One line. Null: nothing in the message is fit to be one. */
  title: string | null
  summary: string | null
  /** What was said to the person: the message without the block; with nothing left, the summary. */
  reply: string | null
}

const maxTitleCharacters = 200
const maxSummaryCharacters = 60_000
/** Of a title that nobody marked as one: longer, and it is a sentence. */
const maxGuessedTitleCharacters = 100

export function pullRequestWords(message: string): PullRequestWords {
  const block = lastBlock(message)
  if (!block) return guess(message)
  const marked = between(block.text, 'title') ?? labelled(block.text, 'title')
  const written = between(block.text, 'summary') ?? labelled(block.text, 'summary')
  const guessed = guess(withoutTags(block.text))
  const summary = bounded(withoutTags(written ?? (marked === undefined ? (guessed.summary ?? '') : '')))
  return {
    title: marked === undefined ? guessed.title : titleOf(marked),
    summary,
    reply: bounded(withoutFences(block.before)) ?? summary,
  }
}

/** The last one counts: a model that quotes the form, or ends twice, means the last. An unfinished one goes to the end. */
function lastBlock(message: string): { text: string; before: string } | undefined {
  const lower = message.toLowerCase()
  const at = lower.lastIndexOf('<pull-request>')
  if (at === -1) return undefined
  const from = at + '<pull-request>'.length
  const end = lower.indexOf('</pull-request>', from)
  return { text: message.slice(from, end === -1 ? undefined : end), before: message.slice(0, at) }
}

function between(text: string, tag: string): string | undefined {
  const lower = text.toLowerCase()
  const at = lower.indexOf(`<${tag}>`)
  if (at === -1) return undefined
  const from = at + tag.length + 2
  const end = lower.indexOf(`</${tag}>`, from)
  return text.slice(from, end === -1 ? undefined : end)
}

/** `Title: …` and `Summary: …`, in place of tags. */
function labelled(text: string, label: 'title' | 'summary'): string | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => bare(line).toLowerCase().startsWith(`${label}:`))
  if (at === -1) return undefined
  const rest = bare(lines[at] ?? '').slice(label.length + 1)
  return label === 'title' ? rest : [rest, ...lines.slice(at + 1)].join('\n')
}

/** A message without a block: a short first line, followed by a blank one, reads like a title. */
function guess(message: string): PullRequestWords {
  const title = labelled(message, 'title')
  if (title !== undefined)
    return { title: titleOf(title), summary: bounded(labelled(message, 'summary') ?? ''), reply: bounded(message) }
  const lines = message.trim().split('\n')
  const first = titleOf(lines[0] ?? '')
  const looksLikeTitle =
    first !== null &&
    first.length <= maxGuessedTitleCharacters &&
    (lines.length === 1 || (lines[1] ?? '').trim() === '') &&
    !/[.:!?]$/.test(first)
  if (!looksLikeTitle) return { title: null, summary: bounded(message), reply: bounded(message) }
  return { title: first, summary: bounded(lines.slice(1).join('\n')), reply: bounded(message) }
}

function titleOf(text: string): string | null {
  const line = bare(withoutTags(text).replaceAll(/\s+/g, ' '))
  if (line === '') return null
  return line.length <= maxTitleCharacters
    ? line
    : `${line
        .slice(0, maxTitleCharacters - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Without what Markdown puts around a line. */
function bare(line: string): string {
  return line
    .trim()
    .replace(/^(?:#{1,6} |[*_`"'>-]+ ?)+/, '')
    .replace(/[*_`"']+$/, '')
    .trim()
}

const withoutTags = (text: string) => text.replaceAll(/<\/?(?:pull-request|title|summary)>/gi, '')
const withoutFences = (text: string) => text.replace(/```\w*\s*$/, '')

function bounded(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  return trimmed.length <= maxSummaryCharacters ? trimmed : `${trimmed.slice(0, maxSummaryCharacters).toWellFormed()}…`
}
