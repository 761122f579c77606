/** What the processes that are never restarted hold, and the sizes of the tables, over time. */
import { readdirSync, readFileSync } from 'node:fs'
import { formatCount, formatMegabytes } from '../steady-state/format.ts'
import { type PostgresTable, postgresTablesQuery, toPostgresTables } from '../steady-state/table-sizes.ts'
import { type LongHaulFixture, listChildren, publishingDirectory } from './fixture.ts'

export interface ResourceSeries {
  name: string
  values: number[]
  /** What the last quarter may have more than the second one, as a factor and in its unit: caches and buffers vary. */
  bound: { ratio: number; slack: number }
  format(value: number): string
}

const megabyte = 1024 * 1024
const memoryBound = { ratio: 1.15, slack: 24 * megabyte }

export class ResourceRecorder {
  readonly series: readonly ResourceSeries[]
  /** Of each sample. */
  readonly tables: PostgresTable[][] = []
  readonly #fixture: LongHaulFixture
  readonly #readers: readonly ((fixture: LongHaulFixture) => Promise<number>)[]

  constructor(fixture: LongHaulFixture) {
    this.#fixture = fixture
    const { vanish, agentRunner } = fixture
    const processes = {
      'api 2': () => vanish.apis[1].machine.process.pid,
      'worker 2': () => vanish.workers[1].machine.process.pid,
      runner: () => agentRunner.process.pid,
    }
    const definitions: [ResourceSeries, (fixture: LongHaulFixture) => Promise<number>][] = []
    const add = (name: string, bound: ResourceSeries['bound'], read: () => Promise<number>, format = formatCount) =>
      definitions.push([{ name, bound, format, values: [] }, read])
    for (const [name, pid] of Object.entries(processes)) {
      add(`memory of ${name}`, memoryBound, async () => residentBytes(pid()), formatMegabytes)
      add(`open files of ${name}`, { ratio: 1, slack: 12 }, async () => countOpenFiles(pid()))
    }
    add('child processes', { ratio: 1, slack: 12 }, async () => {
      const children = await Promise.all([listChildren(processes['worker 2']()), listChildren(processes.runner())])
      return children.flat().length
    })
    add('connections to PostgreSQL', { ratio: 1, slack: 15 }, () =>
      readNumber(fixture, 'SELECT count(*) AS value FROM pg_stat_activity WHERE datname = current_database()'),
    )
    add('temporary directories', { ratio: 1, slack: 5 }, async () => countTemporaryDirectories(fixture))
    add('views that wait', { ratio: 1, slack: 500 }, () =>
      readNumber(fixture, 'SELECT coalesce(sum(rows), 0) AS value FROM view_batch'),
    )
    add('active turns', { ratio: 1, slack: 15 }, () =>
      readNumber(fixture, 'SELECT count(*) AS value FROM turn WHERE ended_at IS NULL'),
    )
    this.series = definitions.map(([series]) => series)
    this.#readers = definitions.map(([, read]) => read)
  }

  async sample(): Promise<void> {
    for (const [index, read] of this.#readers.entries()) this.series[index]?.values.push(await read(this.#fixture))
    this.tables.push(toPostgresTables(await this.#fixture.vanish.database.query(postgresTablesQuery)))
  }

  describeLast(): string {
    return this.series.map(({ name, values, format }) => `${name} ${format(values.at(-1) ?? 0)}`).join(', ')
  }
}

async function readNumber({ vanish }: LongHaulFixture, query: string): Promise<number> {
  const [row] = await vanish.database.query<{ value: string }>(query)
  return Number(row?.value)
}

function residentBytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

const countOpenFiles = (pid: number | undefined) => readdirSync(`/proc/${pid}/fd`).length

/** Of turns that are published or executed. A worker that was killed leaves its directory until a worker starts an hour later. */
function countTemporaryDirectories({ vanish, runnerDirectory, workerKills }: LongHaulFixture): number {
  const publishing = readdirSync(vanish.colophon.directory).filter((name) => publishingDirectory.test(name)).length
  return Math.max(0, publishing - workerKills) + readdirSync(runnerDirectory).length
}
