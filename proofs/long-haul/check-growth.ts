import type { ProofRun, ProofSize } from '../proof.ts'
import { formatMegabytes } from '../steady-state/format.ts'
import type { PostgresTable } from '../steady-state/table-sizes.ts'
import type { ResourceSeries } from './resources.ts'

/** Of four. A median, because a sample can fall into a garbage collection or a turn. */
export function medianOfQuarter(values: readonly number[], quarter: 1 | 2 | 3 | 4): number {
  const part = values.slice(Math.floor(((quarter - 1) * values.length) / 4), Math.floor((quarter * values.length) / 4))
  return part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0
}

/** At the small size a quarter is a minute, in which a process that has just started still allocates. */
const slackFactors: Record<ProofSize, number> = { ci: 3, stated: 1, full: 1 }

/** In the first quarter, caches are still filling and pools are still opening connections. */
export function checkSeries(
  { size, check }: Pick<ProofRun, 'size' | 'check'>,
  { name, values, bound, format }: ResourceSeries,
): void {
  const before = medianOfQuarter(values, 2)
  const after = medianOfQuarter(values, 4)
  const max = before * bound.ratio + bound.slack * slackFactors[size]
  check(after <= max, `${name} do not grow: ${format(before)} → ${format(after)}, at most ${format(max)}`)
}

const maxGrowthRatio = 1.5
const slackBytes = 2 * 1024 * 1024

/**
 * The load is constant, so a table of history grows as much in the second half as in the first. A table of waiting work does not grow at
 * all, which is the same rule.
 */
export function checkTableGrowth({ check, figure }: ProofRun, samples: readonly (readonly PostgresTable[])[]): void {
  const start = samples[Math.floor(samples.length / 10)] ?? []
  const middle = samples[Math.floor(samples.length / 2)] ?? []
  const end = samples.at(-1) ?? []
  const bytesOf = (tables: readonly PostgresTable[], name: string) =>
    tables.find((table) => table.name === name)?.bytes ?? 0
  for (const { name, bytes } of end) {
    const first = bytesOf(middle, name) - bytesOf(start, name)
    const second = bytes - bytesOf(middle, name)
    const max = Math.max(0, first) * maxGrowthRatio + slackBytes
    check(
      second <= max,
      `the table ${name} grows no faster: ${formatMegabytes(first)} in the first half, then ${formatMegabytes(second)}, at most ${formatMegabytes(max)}`,
    )
  }
  const total = (tables: readonly PostgresTable[]) => tables.reduce((sum, { bytes }) => sum + bytes, 0)
  figure(
    'tables of PostgreSQL at the start, in the middle, at the end',
    [start, middle, end].map((tables) => formatMegabytes(total(tables))).join(', '),
  )
}
