/** Jobs and their events as text. */
import type { AgentJob, JobEvent } from '@colophon/sdk'
import { printableBlock, printableLine } from '../terminal/printable.ts'
import { type Cell, formatFields, formatTable, shorten } from '../terminal/table.ts'
import type { OutputStream, Style } from '../terminal/terminal.ts'

type Styles = OutputStream['style']

const outcomeTexts: Readonly<Record<NonNullable<AgentJob['outcome']>, string>> = {
  pull_request: 'completed with a pull request',
  diff: 'completed with a diff',
  no_changes: 'completed without changes',
  awaiting_approval: 'awaits approval: nothing is pushed until a person approves the result',
  rejected: 'completed, but a person rejected the result',
  cancelled: 'was cancelled',
  error: 'failed',
}

/** One sentence about a job that has ended, and where its result is. */
export function formatResult(job: AgentJob, style: Styles): string {
  const text = job.outcome === null ? `is ${job.status}` : outcomeTexts[job.outcome]
  const color = job.status === 'failed' ? style.red : style.green
  const lines = [color(`${job.id} ${text}.`)]
  if (job.error !== null) lines.push(`${printableLine(job.error.message)} (${printableLine(job.error.code)})`)
  if (job.prLink !== null) lines.push(printableLine(job.prLink))
  return lines.join('\n')
}

const statusStyle = (status: AgentJob['status'], style: Styles): Style =>
  ({ active: style.cyan, completed: style.green, failed: style.red, archived: style.dim })[status]

const titleOf = ({ title, promptPreview }: AgentJob): string => printableLine(title ?? promptPreview)

/** `2026-11-18 11:39`, in UTC. */
export const formatTime = (time: string): string => time.slice(0, 16).replace('T', ' ')

const otherColumnsWidth = 84

export function formatJobTable(jobs: readonly AgentJob[], { style, columns }: OutputStream): string {
  const titleWidth = Math.max(20, columns - otherColumnsWidth)
  const rows = jobs.map((job): Cell[] => [
    { text: job.id },
    { text: job.status, style: statusStyle(job.status, style) },
    { text: job.outcome ?? '' },
    { text: formatTime(job.createdAt), style: style.dim },
    { text: shorten(titleOf(job), titleWidth) },
  ])
  return formatTable(
    [{ title: 'ID' }, { title: 'STATUS' }, { title: 'OUTCOME' }, { title: 'CREATED (UTC)' }, { title: 'TITLE' }],
    rows,
  )
}

export function formatJob(job: AgentJob, style: Styles): string {
  const { pullRequest, usage } = job
  const cost = usage.costUsd === null ? '' : `, $${usage.costUsd.toFixed(2)}`
  const fields: [string, string][] = [
    ['ID', job.id],
    ['Title', titleOf(job)],
    ['Status', statusStyle(job.status, style)(job.status)],
    ['Outcome', job.outcome ?? 'none yet'],
    ['Works on', printableLine(`${job.source.repository} at ${job.source.ref}`)],
    ['Model', printableLine(job.model)],
    ['Topic', job.topic === null ? '' : printableLine(job.topic)],
    ['Created', formatTime(job.createdAt)],
    ['Changed', formatTime(job.updatedAt)],
    ['Queued messages', job.queuedMessages === 0 ? '' : String(job.queuedMessages)],
    ['Used', `${usage.inputTokens} input tokens, ${usage.outputTokens} output tokens${cost}`],
    ['Pull request', pullRequest === null ? '' : printableLine(`${pullRequest.url} (${pullRequest.state})`)],
    ['Conflicts', pullRequest?.hasConflicts ? 'yes, with the base branch' : ''],
    ['Error', job.error === null ? '' : printableLine(`${job.error.message} (${job.error.code})`)],
    ['New hosts', printableLine(job.newHosts.join(', '))],
  ]
  const sections = [formatFields(fields.filter(([, value]) => value !== ''))]
  const checks = [
    ...(pullRequest?.checks ?? []).map(({ name, status }) => `${status.padEnd(11)}  ${printableLine(name)} (CI)`),
    ...job.checks.flatMap(({ name, status, findings }) => [
      `${status.padEnd(11)}  ${printableLine(name)}`,
      ...findings.map((finding) => `             ${printableLine(finding)}`),
    ]),
  ]
  if (checks.length > 0) sections.push(['Checks', ...checks.map((check) => `  ${check}`)].join('\n'))
  if (job.approval !== null) sections.push(formatApproval(job.approval))
  if (job.reply !== null) sections.push(`Reply of the agent\n${indent(printableBlock(job.reply))}`)
  return sections.join('\n\n')
}

const formatApproval = ({ reasons, diffSha256 }: NonNullable<AgentJob['approval']>): string =>
  [
    `Awaits approval of the diff ${printableLine(diffSha256)}`,
    ...reasons.map(({ path, line, message }) =>
      printableLine(`  ${path}${line === null ? '' : `:${line}`} ${message}`),
    ),
  ].join('\n')

const indent = (text: string) => text.replace(/^(?=.)/gm, '  ')

const maxInputLength = 160
const maxOutputLines = 12

/** The agent's title and summary for the pull request, which shows them. */
const pullRequestBlock = /<pull-request>[\s\S]*?(?:<\/pull-request>|$)/g

/** `isComplete` shows everything, for example all lines that a tool returned. Undefined if there is nothing to show. */
export function formatEvent(
  event: JobEvent,
  style: Styles,
  { isComplete = false }: { isComplete?: boolean } = {},
): string | undefined {
  switch (event.type) {
    case 'text': {
      const text = isComplete ? event.text : event.text?.replaceAll(pullRequestBlock, '')
      return text?.trim() ? printableBlock(text).trimEnd() : undefined
    }
    case 'notice':
      return style.yellow(`! ${printableBlock(event.text ?? '')}`)
    case 'tool_call':
      return style.dim(
        `→ ${printableLine(event.tool ?? 'tool')} ${formatInput(event.input ?? '', isComplete)}`.trimEnd(),
      )
    case 'tool_result': {
      const output = formatToolOutput(event.output ?? '', isComplete)
      if (output === '') return undefined
      return event.isError ? style.red(output) : style.dim(output)
    }
    default:
      return style.dim(`· ${printableLine(event.type)} ${printableLine(event.text ?? '')}`.trimEnd())
  }
}

/** What people recognize a call by, if it has that: the file or the command. */
function formatInput(input: string, isComplete: boolean): string {
  if (isComplete) return printableLine(input)
  const { path, command, pattern } = parseObject(input)
  const main = [path, command, pattern].find((value) => typeof value === 'string')
  return shorten(printableLine(typeof main === 'string' ? main : input), maxInputLength)
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {} // a very long input is cut off
  }
}

function formatToolOutput(output: string, isComplete: boolean): string {
  const lines = printableBlock(output).trimEnd().split('\n')
  const shown = isComplete ? lines : lines.slice(0, maxOutputLines)
  const left = lines.length - shown.length
  return indent(left > 0 ? [...shown, `… ${left} more lines`].join('\n') : shown.join('\n'))
}
