/** What people read of a job on the code host: the branch's name, the pull request's title and body, the commit message. */
import { isBranchName } from './branch-name.ts'
import { harmlessMarkdown } from './harmless-markdown.ts'
import { harmlessLine, harmlessText } from './harmless-text.ts'

/** A project's own. Its members write them, so in the body they may link and mention as they like. */
export type PublishingTemplates = {
  /** With `{jobId}`. Nothing that an agent wrote goes here: branch names have carried secrets out. */
  branch: string
  /** With `{title}`; `{jobId}` if wanted. */
  title: string
  /** Markdown with `{summary}` on a line of its own; `{jobId}` if wanted. */
  body: string
}

export const defaultTemplates: PublishingTemplates = { branch: 'colophon/{jobId}', title: '{title}', body: '{summary}' }

export type WrittenByAgent = { title: string | null; summary: string | null }

const maxTitleCharacters = 200
const maxTemplateCharacters = { branch: 100, title: 100, body: 5_000 }
const maxSummaryCharacters = 20_000
const maxCommitSummaryCharacters = 2_000

/** In words, for the person who typed them; none: they can be saved. */
export function problemsOfTemplates(templates: PublishingTemplates): string[] {
  const { branch, title, body } = templates
  const problems = [
    ...Object.entries(maxTemplateCharacters)
      .filter(([name, most]) => templates[name as keyof PublishingTemplates].length > most)
      .map(([name, most]) => `The ${name} is longer than ${most} characters.`),
    ...unknownVariables(branch, ['jobId']),
    ...unknownVariables(title, ['title', 'jobId']),
    ...unknownVariables(body, ['summary', 'jobId']),
  ]
  if (!branch.includes('{jobId}')) problems.push('The branch needs {jobId}, so that every job has its own.')
  else if (!isBranchName(branch.replaceAll('{jobId}', 'job')))
    problems.push('The branch is not a name that git allows.')
  if (title.split('{title}').length !== 2) problems.push('The title needs {title}, once.')
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(title)) problems.push('The title must be one line of plain text.')
  if (body.split('\n').filter((line) => line === '{summary}').length !== 1 || body.split('{summary}').length !== 2) {
    problems.push('The body needs {summary}, once, on a line of its own.')
  }
  // Within HTML or a code block the agent's text would be read by other rules than those that it was made safe for.
  if (/<[a-z!/?]|^ *(```|~~~)/im.test(body)) problems.push('The body must not contain HTML or code blocks.')
  return problems
}

function unknownVariables(template: string, known: readonly string[]): string[] {
  const found = [...template.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name)
  return found.filter((name) => !known.includes(name)).map((name) => `There is no variable {${name}}.`)
}

/** `generation` counts a job's branches: after a merge the next turn begins a new one. */
export function renderBranchName(template: string, jobId: string, generation: number): string {
  const name = template.replaceAll('{jobId}', jobId)
  return generation === 1 ? name : `${name}-${generation}`
}

export function renderPullRequest(
  templates: Pick<PublishingTemplates, 'title' | 'body'>,
  jobId: string,
  written: WrittenByAgent,
): { title: string; body: string } {
  const summary = harmlessMarkdown(cut(written.summary ?? '', maxSummaryCharacters))
  const body = fill(templates.body, { jobId, summary: summary === '' ? '' : `\n${summary}\n` })
  const title = fill(templates.title, { jobId, title: harmlessTitle(written.title) })
  return {
    title: harmlessLine(title, maxTitleCharacters),
    body: `${body.trim()}\n\n*An AI agent wrote this pull request: Colophon, job \`${jobId}\`.*`.trim(),
  }
}

/**
 * The last paragraph is ours, so that no line of the agent's is a trailer. `signOff`: the project's word that the change
 * may be contributed (developercertificate.org).
 */
export function renderCommitMessage(
  jobId: string,
  written: WrittenByAgent,
  signOff: { name: string; email: string } | undefined,
): string {
  // Trimmed before it is made harmless: what begins with a space may be something else without it.
  const summary = harmlessText(cut((written.summary ?? '').trim(), maxCommitSummaryCharacters)).trimEnd()
  const trailers = [`Colophon-Job: ${jobId}`, ...(signOff ? [`Signed-off-by: ${signOff.name} <${signOff.email}>`] : [])]
  const paragraphs = [harmlessTitle(written.title), summary, 'An AI agent wrote this.', trailers.join('\n')]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

/** Without the prefixes that turn a pull request into a draft, or a commit into a part of another one or a release. */
function harmlessTitle(title: string | null): string {
  let line = harmlessLine(title ?? '', 120)
  for (let before = ''; before !== line; ) {
    before = line
    line = line
      .replace(/^(?:[[(]\s*(?:wip|draft)\s*[\])]|(?:wip|draft)\s*:|(?:fixup|squash|amend)\s*!)\s*/i, '')
      .replace(/^(\w+(?:\([^)]*\))?)!:/, '$1:')
  }
  return line === '' ? 'Update the docs' : line
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (variable, name: string) => values[name] ?? variable)
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`
}
