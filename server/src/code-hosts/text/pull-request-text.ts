/** The texts of a job on the code host: branch name, pull request title and body, commit message. */
import { isBranchName } from './branch-name.ts'
import { neutralizeMarkdown } from './neutralize-markdown.ts'
import { neutralizeLine, neutralizeText } from './neutralize-text.ts'

/** The templates of a project. Its members write them, so the body may contain links and mentions. */
export type PublishingTemplates = {
  /** Contains `{jobId}`. No text from the agent is used here: branch names have been used to leak secrets. */
  branch: string
  /** Contains `{title}`, optionally `{jobId}`. */
  title: string
  /** Markdown with `{summary}` on a line of its own, optionally `{jobId}`. */
  body: string
}

export const defaultPublishingTemplates: PublishingTemplates = {
  branch: 'colophon/{jobId}',
  title: '{title}',
  body: '{summary}',
}

export type AgentText = { title: string | null; summary: string | null }

const maxTitleCharacters = 200
const maxTemplateCharacters = { branch: 100, title: 100, body: 5_000 }
const maxSummaryCharacters = 20_000
const maxCommitSummaryCharacters = 2_000
const maxListedHosts = 20
const maxHostCharacters = 253

/** Messages for the person who edits the templates. An empty list: the templates are valid. */
export function validateTemplates(templates: PublishingTemplates): string[] {
  const { branch, title, body } = templates
  const problems = [
    ...Object.entries(maxTemplateCharacters)
      .filter(([name, maxCharacters]) => templates[name as keyof PublishingTemplates].length > maxCharacters)
      .map(([name, maxCharacters]) => `The ${name} is longer than ${maxCharacters} characters.`),
    ...unknownVariables(branch, ['jobId']),
    ...unknownVariables(title, ['title', 'jobId']),
    ...unknownVariables(body, ['summary', 'jobId']),
  ]
  if (!branch.includes('{jobId}'))
    problems.push('The branch must contain {jobId}, so that every job has its own branch.')
  else if (!isBranchName(branch.replaceAll('{jobId}', 'job')))
    problems.push('The branch is not a valid git branch name.')
  if (title.split('{title}').length !== 2) problems.push('The title must contain {title} exactly once.')
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(title)) problems.push('The title must be one line of plain text.')
  if (body.split('\n').filter((line) => line === '{summary}').length !== 1 || body.split('{summary}').length !== 2) {
    problems.push('The body must contain {summary} exactly once, on a line of its own.')
  }
  // The escaping of the agent's text is not safe inside HTML or a code block.
  if (/<[a-z!/?]|^ *(```|~~~)/im.test(body)) problems.push('The body must not contain HTML or code blocks.')
  return problems
}

function unknownVariables(template: string, allowed: readonly string[]): string[] {
  const found = [...template.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name)
  return found
    .filter((name) => !allowed.includes(name))
    .map(
      (name) =>
        `The variable {${name}} does not exist here. Use ${allowed.map((variable) => `{${variable}}`).join(' or ')}.`,
    )
}

/** `generation` counts the branches of a job: after a merge, the next turn starts a new branch. */
export function renderBranchName(template: string, jobId: string, generation: number): string {
  const name = template.replaceAll('{jobId}', jobId)
  return generation === 1 ? name : `${name}-${generation}`
}

export function renderPullRequest(
  templates: Pick<PublishingTemplates, 'title' | 'body'>,
  jobId: string,
  agentText: AgentText,
  newHosts: readonly string[] = [],
): { title: string; body: string } {
  const summary = neutralizeMarkdown(truncate(agentText.summary ?? '', maxSummaryCharacters))
  const body = fillTemplate(templates.body, { jobId, summary: summary === '' ? '' : `\n${summary}\n` })
  const title = fillTemplate(templates.title, { jobId, title: neutralizeTitle(agentText.title) })
  return {
    title: neutralizeLine(title, maxTitleCharacters),
    body: [body.trim(), renderNewHosts(newHosts), `*An AI agent wrote this pull request: Colophon, job \`${jobId}\`.*`]
      .filter((paragraph) => paragraph !== '')
      .join('\n\n'),
  }
}

/** As code, so that the code host makes no links of them. */
function renderNewHosts(hosts: readonly string[]): string {
  if (hosts.length === 0) return ''
  const listed = hosts.slice(0, maxListedHosts).map((host) => `\`${neutralizeLine(host, maxHostCharacters)}\``)
  const more = hosts.length > maxListedHosts ? ` and ${hosts.length - maxListedHosts} more` : ''
  return `Hosts in links and images that no page named before: ${listed.join(', ')}${more}.`
}

/**
 * The last paragraph is ours, so that no line from the agent can be a trailer. `signOff` is the project's Developer Certificate
 * of Origin (developercertificate.org).
 */
export function renderCommitMessage(
  jobId: string,
  agentText: AgentText,
  signOff: { name: string; email: string } | undefined,
): string {
  // Trimmed first: without its leading space, a line may become an active form.
  const summary = neutralizeText(truncate((agentText.summary ?? '').trim(), maxCommitSummaryCharacters)).trimEnd()
  const trailers = [`Colophon-Job: ${jobId}`, ...(signOff ? [`Signed-off-by: ${signOff.name} <${signOff.email}>`] : [])]
  const paragraphs = [neutralizeTitle(agentText.title), summary, 'An AI agent wrote this.', trailers.join('\n')]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

/** Removes prefixes that mark a pull request as a draft, or a commit as a fixup or a breaking change. */
function neutralizeTitle(title: string | null): string {
  let line = neutralizeLine(title ?? '', 120)
  for (let before = ''; before !== line; ) {
    before = line
    line = line
      .replace(/^(?:[[(]\s*(?:wip|draft)\s*[\])]|(?:wip|draft)\s*:|(?:fixup|squash|amend)\s*!)\s*/i, '')
      .replace(/^(\w+(?:\([^)]*\))?)!:/, '$1:')
  }
  return line === '' ? 'Update the docs' : line
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (variable, name: string) => values[name] ?? variable)
}

function truncate(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`
}
