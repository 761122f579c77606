/** What is measured every few seconds while the load runs. */
import { readFileSync } from 'node:fs'
import { cpuMilliseconds } from '../../testing/harness/cpu-time.ts'
import { readBacklog } from '../ingest-rate/backlog.ts'
import type { ApiLoad, TimedCall } from './api-load.ts'
import type { BeaconSender } from './beacon-sender.ts'
import type { SteadyFixture } from './fixture.ts'
import type { BeaconReport } from './send-beacons.ts'
import { type ClickhouseTable, type PostgresTable, readClickhouseTables, readPostgresTables } from './table-sizes.ts'

export const measuredProcesses = [
  'api',
  'worker',
  'PostgreSQL',
  'ClickHouse',
  'Temporal',
  'Gitea',
  'sender',
  'proof',
] as const
export type MeasuredProcess = (typeof measuredProcesses)[number]

export interface Sample {
  atMs: number
  beacons: BeaconReport
  durationsMs: Record<TimedCall, number[]>
  /** Since the start of each process. */
  cpuMs: Record<MeasuredProcess, number>
  memoryBytes: Record<MeasuredProcess, number>
  postgresTables: PostgresTable[]
  clickhouseTables: ClickhouseTable[]
  /** Since the start of PostgreSQL, of all its databases. */
  walBytes: number
  walRecords: number
  walDirectoryBytes: number
  connections: number
  /** Age of the oldest view that ClickHouse does not have. */
  backlogAgeSeconds: number
  openWorkflows: number
  temporalDatabaseBytes: number
}

export async function takeSample(
  { services, colophon, api, worker, postgres, clickhouse, temporal }: SteadyFixture,
  sender: BeaconSender,
  load: ApiLoad,
): Promise<Sample> {
  const pids: Record<MeasuredProcess, number> = {
    api: api.process.pid ?? 0,
    worker: worker.process.pid ?? 0,
    PostgreSQL: services.processes.postgres.pid ?? 0,
    ClickHouse: services.processes.clickhouse.pid ?? 0,
    Temporal: services.processes.temporal.pid ?? 0,
    Gitea: services.processes.gitea.pid ?? 0,
    sender: sender.pid,
    proof: process.pid,
  }
  const readServer = async () => {
    const { rows } = await postgres.query<
      Record<'wal' | 'records' | 'directory' | 'connections' | 'temporal', string>
    >(`
      SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, (SELECT wal_records FROM pg_stat_wal) AS records,
        (SELECT sum(size) FROM pg_ls_waldir()) AS directory,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database()) AS connections,
        (SELECT sum(pg_database_size(oid)) FROM pg_database WHERE datname LIKE 'temporal%') AS temporal`)
    return rows[0]
  }
  const server = await readServer()
  return {
    atMs: performance.now(),
    beacons: await sender.report(),
    durationsMs: load.takeDurations(),
    cpuMs: await readCpu(pids),
    memoryBytes: readMemory(pids),
    postgresTables: await readPostgresTables(postgres),
    clickhouseTables: await readClickhouseTables(clickhouse),
    walBytes: Number(server?.wal),
    walRecords: Number(server?.records),
    walDirectoryBytes: Number(server?.directory),
    connections: Number(server?.connections),
    backlogAgeSeconds: (await readBacklog(colophon.pool)).ageSeconds,
    openWorkflows: (await temporal.workflow.count("ExecutionStatus = 'Running'")).count,
    temporalDatabaseBytes: Number(server?.temporal),
  }
}

async function readCpu(pids: Record<MeasuredProcess, number>): Promise<Record<MeasuredProcess, number>> {
  const cpu = {} as Record<MeasuredProcess, number>
  const { user, system } = process.cpuUsage()
  for (const name of measuredProcesses) cpu[name] = name === 'proof' ? 0 : await cpuMilliseconds(pids[name])
  cpu.proof = (user + system) / 1000
  return cpu
}

/** Of the process itself: a sum over PostgreSQL's processes would count its shared memory many times. */
function readMemory(pids: Record<MeasuredProcess, number>): Record<MeasuredProcess, number> {
  const memory = {} as Record<MeasuredProcess, number>
  for (const name of measuredProcesses) memory[name] = residentBytes(pids[name])
  return memory
}

function residentBytes(pid: number): number {
  const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m)?.[1]
  return Number(kilobytes ?? 0) * 1024
}
