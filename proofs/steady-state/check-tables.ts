/** Compares the tables before and after the run with what the load may add to them. */
import type { ProofRun } from '../proof.ts'
import {
  allowedGrowth,
  lastingTables,
  maxClickhouseBytesPerView,
  maxTableScans,
  maxUnvacuumedRows,
  minSlackBytes,
  type SentLoad,
} from './expected-growth.ts'
import { formatCount, formatMegabytes } from './format.ts'
import type { Sample } from './sample.ts'
import type { ClickhouseTable, PostgresTable } from './table-sizes.ts'

export interface TableState {
  postgresTables: PostgresTable[]
  postgresRows: Map<string, number>
  clickhouseTables: ClickhouseTable[]
}

/** Tables of less than this, before and after, are summed up in one figure. */
const smallTableBytes = 8 * 1024 * 1024

export function checkPostgresTables(run: ProofRun, before: TableState, after: TableState, sent: SentLoad): void {
  const small = { before: 0, after: 0, count: 0 }
  for (const table of after.postgresTables) {
    const { name } = table
    const start = before.postgresTables.find((other) => other.name === name)
    const startBytes = start?.bytes ?? 0
    const startRows = before.postgresRows.get(name) ?? 0
    const endRows = after.postgresRows.get(name) ?? 0
    const allowed = allowedGrowth(name, sent)
    const maxRows = startRows + allowed.rows
    const maxBytes =
      startBytes +
      allowed.rows * allowed.bytesPerRow +
      startBytes * (allowed.updatedShare ?? 0) +
      (allowed.updatedBytes ?? 0) +
      minSlackBytes
    run.check(
      endRows <= maxRows,
      `${name} has at most ${formatCount(maxRows)} rows: ${formatCount(startRows)} → ${formatCount(endRows)}`,
    )
    run.check(
      table.bytes <= maxBytes,
      `${name} has at most ${formatMegabytes(maxBytes)}: ${formatMegabytes(startBytes)} → ${formatMegabytes(table.bytes)}`,
    )
    const maxDeadRows = maxUnvacuumedRows(endRows, sent)
    run.check(
      table.deadRows <= maxDeadRows,
      `${name} is vacuumed, at most ${formatCount(maxDeadRows)} old rows: ${formatCount(table.deadRows)}`,
    )
    if (Math.max(startBytes, table.bytes) < smallTableBytes) {
      small.before += startBytes
      small.after += table.bytes
      small.count++
      continue
    }
    run.figure(
      `table ${name}`,
      `${formatMegabytes(startBytes)}, ${formatCount(startRows)} rows → ${formatMegabytes(table.bytes)}, ` +
        `${formatCount(endRows)} rows, ${formatCount(table.deadRows)} of them not vacuumed`,
    )
  }
  run.figure(
    `${small.count} small tables together`,
    `${formatMegabytes(small.before)} → ${formatMegabytes(small.after)}`,
  )
}

/** Between two samples, because the proof itself counts all rows before and after. */
export function checkTableScans(run: ProofRun, before: TableState, samples: readonly Sample[]): void {
  const scannedRows = (sample: Sample | undefined, name: string) =>
    sample?.postgresTables.find((table) => table.name === name)?.scannedRows ?? 0
  for (const name of lastingTables) {
    const scanned = scannedRows(samples.at(-1), name) - scannedRows(samples[0], name)
    const scans = scanned / Math.max(before.postgresRows.get(name) ?? 0, 1)
    run.check(
      scans <= maxTableScans,
      `no statement of the load reads all rows of ${name}: ${formatCount(scanned)} rows, ${scans.toFixed(0)} times the table`,
    )
  }
}

export function checkClickhouseTables(run: ProofRun, before: TableState, after: TableState, sent: SentLoad): void {
  for (const { name, bytes, rows, segments } of after.clickhouseTables) {
    const start = before.clickhouseTables.find((other) => other.name === name)
    const startBytes = start?.bytes ?? 0
    const maxBytes = startBytes + sent.beacons * maxClickhouseBytesPerView + minSlackBytes
    run.check(
      bytes <= maxBytes,
      `${name} in ClickHouse has at most ${formatMegabytes(maxBytes)}: ${formatMegabytes(startBytes)} → ${formatMegabytes(bytes)}`,
    )
    run.figure(
      `ClickHouse table ${name}`,
      `${formatMegabytes(startBytes)}, ${formatCount(start?.rows ?? 0)} rows, ${start?.segments ?? 0} files → ` +
        `${formatMegabytes(bytes)}, ${formatCount(rows)} rows, ${segments} files`,
    )
  }
}
