import { styleText } from 'node:util'
import type { ComponentStatus, Readiness } from '@colophon/sdk'

/** The output of `--json`. */
export type InstanceStatus =
  | ({ url: string } & Readiness)
  | { url: string; status: 'unreachable'; error: { code: string; detail: string } }

const meanings = {
  ready: 'ready: all components work.',
  degraded: 'degraded: it accepts requests, but some work waits until all components work.',
  not_ready: 'not ready: it cannot work until its essential components do.',
  stopping: 'stopping: it is finishing work in progress.',
} as const satisfies Record<Readiness['status'], string>

export function formatInstanceStatus(status: InstanceStatus): string {
  if (status.status === 'unreachable')
    return `Cannot reach Colophon at ${status.url}: ${printable(status.error.detail)}`
  const components = Object.entries(status.components).map(([name, component]) => ({
    name: printable(name),
    component,
  }))
  const nameWidth = Math.max(0, ...components.map(({ name }) => name.length))
  return [
    `Colophon ${printable(status.version)} at ${status.url} is ${meanings[status.status]}`,
    '',
    ...components.map(({ name, component }) => `  ${name.padEnd(nameWidth)}  ${describeComponent(component)}`),
  ].join('\n')
}

// styleText omits colors in pipes and files, and if NO_COLOR is set.
const describeComponent = (component: ComponentStatus) =>
  component.status === 'ok'
    ? `${styleText('green', 'ok')}       ${component.latencyMs} ms`
    : `${styleText('red', 'failing')}  ${printable(component.reason)}`

/** The URL may belong to another program, so its output must not control the terminal or the CI that shows it. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd')
