/**
 * What a message about an event says, before it is formatted for a chat or an email. Text of agents and code hosts appears only in facts,
 * and only as a single line: no format may interpret it.
 */
import type { WebhookEvent } from '../endpoint.ts'

export interface EventMessage {
  /** Written by us. */
  headline: string
  facts: readonly { label: string; text: string }[]
  links: readonly { label: string; url: string }[]
}

export interface MessageContext {
  projectName: string
  /** Of the dashboard. Undefined: not known, and messages have no link to it. */
  publicUrl: string | undefined
}

interface JobData {
  projectId: string
  job: {
    id: string
    outcome: string | null
    title: string | null
    repository: string
    error: { code: string; message: string | null } | null
    pullRequest: { number: number; url: string } | null
  }
}

interface BudgetData {
  projectId: string
  budget: { month: string; percent: number; unit: 'tokens' | 'usd'; used: number; max: number }
}

interface RunnerData {
  projectId: string
  runner: { name: string; lastSeenAt: string }
}

const jobHeadlines: Readonly<Record<string, string>> = {
  'job.completed': 'A job was completed',
  'job.failed': 'A job failed',
  'job.archived': 'A job was archived',
  'job.awaiting_approval': 'A job awaits approval',
  'job.pull_request.opened': 'A job opened a pull request',
  'job.pull_request.merged': 'The pull request of a job was merged',
  'job.pull_request.closed': 'The pull request of a job was closed',
}

export function describeEvent({ type, data }: WebhookEvent, context: MessageContext): EventMessage {
  const project = { label: 'Project', text: toPlainLine(context.projectName) }
  const dashboard = (path: string, label: string) =>
    context.publicUrl === undefined ? [] : [{ label, url: `${context.publicUrl}${path}` }]
  const jobHeadline = jobHeadlines[type]
  if (jobHeadline !== undefined) {
    const { projectId, job } = data as unknown as JobData
    const facts: [label: string, text: string | null | undefined][] = [
      ['Job', job.title ?? job.id],
      ['Repository', job.repository],
      ['Outcome', type.startsWith('job.pull_request.') ? null : job.outcome?.replaceAll('_', ' ')],
      ['Error', job.error && (job.error.message ?? job.error.code)],
    ]
    return {
      headline: jobHeadline,
      facts: [project, ...facts.flatMap(([label, text]) => (text == null ? [] : [{ label, text: toPlainLine(text) }]))],
      links: [
        ...dashboard(`/projects/${projectId}/jobs/${job.id}`, 'Open the job'),
        ...(job.pullRequest && isWebUrl(job.pullRequest.url)
          ? [{ label: `Open pull request ${job.pullRequest.number}`, url: job.pullRequest.url }]
          : []),
      ],
    }
  }
  if (type === 'budget.threshold') {
    const { projectId, budget } = data as unknown as BudgetData
    return {
      headline: `${budget.percent}% of the model budget of this month is used`,
      facts: [
        project,
        { label: 'Used', text: `${formatAmount(budget.used, budget)} of ${formatAmount(budget.max, budget)}` },
      ],
      links: dashboard(`/projects/${projectId}/spend`, 'See the spend'),
    }
  }
  if (type === 'runner.offline') {
    const { projectId, runner } = data as unknown as RunnerData
    return {
      headline: 'A runner is offline',
      facts: [
        project,
        { label: 'Runner', text: toPlainLine(runner.name) },
        { label: 'Last seen', text: runner.lastSeenAt },
      ],
      links: dashboard(`/projects/${projectId}/settings/runners`, 'See the runners'),
    }
  }
  return { headline: 'This is a test of Colophon', facts: [project], links: [] }
}

const formatAmount = (amount: number, { unit }: { unit: 'tokens' | 'usd' }) =>
  unit === 'usd' ? `$${amount.toFixed(2)}` : `${Math.round(amount).toLocaleString('en')} tokens`

const maxCharacters = 300

/** One line without characters that are invisible or change the direction of text, so that it cannot pretend to be anything else. */
export function toPlainLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : line
}

const isWebUrl = (url: string) => ['https:', 'http:'].includes(URL.parse(url)?.protocol ?? '')
