/** `colophon-server support`: writes a file about the instance that can be sent to someone who helps. */
import { openSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { finishedVersion } from '../../database/older-version.ts'
import { ConfigError, describeEnvironment, loadSupportConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createClickhouseCheck, createPostgresCheck, createTemporalCheck } from '../../platform/service-checks.ts'
import { tarEnd, tarFile } from '../../platform/tar.ts'
import { createServiceClients, type ServiceClients } from '../processes/create-service-clients.ts'
import { UsageError } from '../usage-error.ts'
import { readLog } from './read-log.ts'
import { isNotRead, type NotRead, type Report, readOrExplain } from './report.ts'
import { reportClickhouse } from './report-clickhouse.ts'
import { reportMachine } from './report-machine.ts'
import { reportPostgres } from './report-postgres.ts'
import { reportQueues } from './report-queues.ts'
import { reportTemporal } from './report-temporal.ts'

interface BundleFile {
  name: string
  /** For the README of the bundle. */
  contents: string
  read(): Promise<unknown>
}

const maxSecondsPerFile = 60

export async function writeSupportBundle(options: { output: string | undefined; logs: string | undefined }) {
  const createdAt = new Date()
  const directory = `colophon-support-${createdAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`
  const output = options.output ?? `${directory}.tar.gz`
  const descriptor = output === '-' ? undefined : createFile(output)
  const files = describeFiles(options.logs)
  const archive = [tarFile(`${directory}/README.md`, Buffer.from(formatReadme(files, createdAt)), createdAt)]
  for (const { name, read } of files) {
    note(`Reading ${name}…`)
    const report = await readInTime(read)
    if (isNotRead(report)) note(`  could not be read: ${report.notRead}`)
    archive.push(tarFile(`${directory}/${name}`, Buffer.from(`${JSON.stringify(report, null, 2)}\n`), createdAt))
  }
  const compressed = gzipSync(Buffer.concat([...archive, tarEnd]))
  if (descriptor === undefined) {
    await new Promise<void>((resolve) => process.stdout.write(compressed, () => resolve()))
    return
  }
  writeFileSync(descriptor, compressed)
  note(`Wrote ${output}. Its README.md says what is in it; look through the files before you send it.`)
}

function describeFiles(logs: string | undefined): BundleFile[] {
  const fromServices = connect()
  const readFrom = (read: (services: ServiceClients, namespace: string) => Promise<unknown>) => async () =>
    'services' in fromServices ? read(fromServices.services, fromServices.namespace) : fromServices
  return [
    {
      name: 'machine.json',
      contents:
        'Versions of Colophon, Node and the kernel; CPUs, memory, free space of the machine that ran the command.',
      read: reportMachine,
    },
    {
      name: 'settings.json',
      contents:
        'Which settings are set. Values only of numbers and choices; of URLs only the scheme and whether they lead to the same machine.',
      read: async () => describeEnvironment(),
    },
    {
      name: 'readiness.json',
      contents: 'Whether PostgreSQL, ClickHouse and Temporal work and have the schema of this version.',
      read: readFrom(checkServices),
    },
    {
      name: 'postgres.json',
      contents:
        'Version, settings of the server, sizes of tables, connections, migrations, and slow statements without their values (needs ' +
        'the extension pg_stat_statements).',
      read: readFrom(({ pool }) => reportPostgres(pool)),
    },
    {
      name: 'queues.json',
      contents:
        'How many jobs, turns, attempts, runners, waiting views and webhook deliveries there are, and how old the oldest is.',
      read: readFrom(({ pool }) => reportQueues(pool)),
    },
    {
      name: 'clickhouse.json',
      contents: 'Version, sizes of tables, merges, counts of errors, and slow queries without their values.',
      read: readFrom(({ clickhouse }) => reportClickhouse(clickhouse)),
    },
    {
      name: 'temporal.json',
      contents: 'Version, number of open workflows, and of workers that wait for work.',
      read: readFrom(({ temporal }, namespace) => reportTemporal(temporal, namespace)),
    },
    ...(logs === undefined
      ? []
      : [
          {
            name: 'log.json',
            contents:
              'The newest 5,000 lines of the log, without paths, addresses, names and titles. Of error messages, only plain words are ' +
              'left. IDs of projects and jobs are included: they are random.',
            read: () => readLog(logs),
          },
        ]),
  ]
}

/** Settings that are wrong are one reason to need help, so the command goes on without the services. */
function connect(): { services: ServiceClients; namespace: string } | NotRead {
  try {
    const config = loadSupportConfig()
    const services = createServiceClients(config, createLog('support', { level: 'error' }))
    return { services, namespace: config.temporal.namespace }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { notRead: `The configuration has ${error.errors.length} errors: see settings.json.` }
  }
}

async function checkServices({ pool, clickhouse, temporal }: ServiceClients, namespace: string): Promise<Report> {
  const works = (check: () => Promise<void>) => readOrExplain(() => check().then(() => 'ok'))
  return {
    postgres: await works(createPostgresCheck(pool, finishedVersion)),
    clickhouse: await works(createClickhouseCheck(clickhouse)),
    temporal: await works(createTemporalCheck(temporal, namespace)),
  }
}

/** A service that never answers must not keep the other files from being written. */
const readInTime = (read: () => Promise<unknown>) =>
  readOrExplain(() =>
    Promise.race([
      read(),
      sleep(maxSecondsPerFile * 1000, undefined, { ref: false }).then(() => {
        throw new Error(`no response within ${maxSecondsPerFile} s`)
      }),
    ]),
  )

const formatReadme = (files: readonly BundleFile[], createdAt: Date) => `# Support bundle of Colophon

Created at ${createdAt.toISOString()} by \`colophon-server support\`.

It contains no secrets, prompts, replies, contents or names of repositories, pages, people or projects, and no host names or
addresses. It does contain how much of everything there is. All files are text: look through them before you send them.

| file | contents |
| ---- | -------- |
${files.map(({ name, contents }) => `| ${name} | ${contents} |`).join('\n')}
`

/** Before anything is read, so that a mistake in the path shows at once. Never replaces a file. */
function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    throw new UsageError(`Cannot create ${path}: ${(error as Error).message}.`)
  }
}

const note = (text: string): void => void process.stderr.write(`${text}\n`)
