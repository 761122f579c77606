/**
 * Alert rules with shorter durations, so that a proof need not wait for hours: `for`, ranges and ages are divided by one factor.
 * Ranges and ages stay above what the processes need to update a metric, because that is not scaled. Counts and shares stay as they are,
 * so faults have to happen as much faster.
 */
import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { type Alert, alertsFile } from '../../checks/monitoring.ts'

/** Queues, components and event loops are measured every 10 seconds. */
const minRangeSeconds = 20
const minAgeSeconds = 30

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

const toSeconds = (duration: string): number => {
  const [, number, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? []
  const seconds = Number(number) * (unitSeconds[unit] ?? Number.NaN)
  if (Number.isNaN(seconds)) throw new Error(`${duration} is not a duration`)
  return seconds
}

export function scaleRules(factor: number): { text: string; alerts: Alert[] } {
  const divide = (seconds: number, min: number) => Math.max(Math.round(seconds / factor), min)
  const document = parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: Alert[] }[] }
  const groups = document.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      for: `${divide(toSeconds(rule.for), 0)}s`,
      expr: rule.expr
        .replaceAll(/\[(\d+[smh])\]/g, (_, range: string) => `[${divide(toSeconds(range), minRangeSeconds)}s]`)
        .replace(
          /(_age_seconds(?:\{[^}]*\})?\)|_last_success_timestamp_seconds\)) > (\d+)$/,
          (_, metric: string, age: string) => {
            return `${metric} > ${divide(Number(age), minAgeSeconds)}`
          },
        ),
    })),
  }))
  return { text: stringify({ groups }), alerts: groups.flatMap(({ rules }) => rules) }
}

/** How long the condition of a scaled rule has to last before it fires, at most: its range and its `for`. */
export function secondsUntilFiring({ expr, for: duration }: Alert): number {
  const ranges = [...expr.matchAll(/\[(\d+)s\]/g)].map(([, seconds]) => Number(seconds))
  const age = Number(/(?:_age_seconds(?:\{[^}]*\})?\)|_timestamp_seconds\)) > (\d+)$/.exec(expr)?.[1] ?? 0)
  return Math.max(0, ...ranges) + age + toSeconds(duration)
}
