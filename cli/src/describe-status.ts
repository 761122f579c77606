import { styleText } from 'node:util'
import type { ComponentStatus, Readiness } from '@colophon/sdk'

/** What `--json` prints. */
export type Status =
  | ({ url: string } & Readiness)
  | { url: string; status: 'unreachable'; error: { code: string; detail: string } }

const meanings = {
  ready: 'ready: everything works.',
  degraded: 'degraded: it takes requests, but some work waits until all components are back.',
  not_ready: 'not ready: it can do nothing until its components are back.',
  stopping: 'stopping: it finishes what it began.',
} as const satisfies Record<Readiness['status'], string>

export function describeStatus(status: Status): string {
  if (status.status === 'unreachable') return `No Colophon at ${status.url}: ${printable(status.error.detail)}`
  const components = Object.entries(status.components).map(([name, part]) => ({ name: printable(name), part }))
  const nameWidth = Math.max(0, ...components.map(({ name }) => name.length))
  return [
    `Colophon ${printable(status.version)} at ${status.url} is ${meanings[status.status]}`,
    '',
    ...components.map(({ name, part }) => `  ${name.padEnd(nameWidth)}  ${describePart(part)}`),
  ].join('\n')
}

// styleText leaves colours out by itself where nobody would see them: pipes, files, NO_COLOR.
const describePart = (part: ComponentStatus) =>
  part.status === 'ok'
    ? `${styleText('green', 'works')}  ${part.latencyMs} ms`
    : `${styleText('red', 'fails')}  ${printable(part.reason)}`

/** The address may be anybody's: what comes from there must not steer the terminal or the CI that shows it. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd')
