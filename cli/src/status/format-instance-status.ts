import type { ComponentStatus, Readiness } from '@colophon/sdk'
import { printableLine } from '../terminal/printable.ts'
import type { OutputStream } from '../terminal/terminal.ts'

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

export function formatInstanceStatus(status: InstanceStatus, style: OutputStream['style']): string {
  if (status.status === 'unreachable')
    return `Cannot reach Colophon at ${status.url}: ${printableLine(status.error.detail)}`
  const components = Object.entries(status.components).map(([name, component]) => ({
    name: printableLine(name),
    component,
  }))
  const nameWidth = Math.max(0, ...components.map(({ name }) => name.length))
  return [
    `Colophon ${printableLine(status.version)} at ${status.url} is ${meanings[status.status]}`,
    '',
    ...components.map(({ name, component }) => `  ${name.padEnd(nameWidth)}  ${describeComponent(component, style)}`),
  ].join('\n')
}

const describeComponent = (component: ComponentStatus, style: OutputStream['style']) =>
  component.status === 'ok'
    ? `${style.green('ok')}       ${component.latencyMs} ms`
    : `${style.red('failing')}  ${printableLine(component.reason)}`
