/**
 * Starts Colophon from a fresh clone with one command; kills each service and starts it again; runs migrations in two replicas
 * at the same time and kills one in the middle; stops `api` while a request is in flight.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import pg from 'pg'
import {
  type ColophonProcess,
  prepareColophonProcess,
  runColophonCommand,
} from '../testing/harness/colophon-process.ts'
import { createEmptyTestInstance } from '../testing/harness/empty-test-instance.ts'
import { freePort } from '../testing/services/free-port.ts'
import { ManagedProcess } from '../testing/services/managed-process.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { type RunningServices, startServices } from '../testing/services/start-services.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'One command leads from a clone to a running service, and the service recovers from the loss of any dependency'

/** Longer at the small size, where the machine may be shared. */
const maxWarmStartSeconds = { ci: 60, stated: 30, full: 30 }
const checkout = join(import.meta.dirname, '..')

export async function prove(run: ProofRun): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  chmodSync(directory, 0o755) // a runner started as root works as the user nobody, who must be able to read it
  mkdirSync(temporaryDirectory(directory))
  chmodSync(temporaryDirectory(directory), 0o1777)
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { clone, seconds } = await cloneAndSetUp(run, directory)
  await startInOneCommand(run, clone, directory, seconds)

  const services = await startServices()
  run.cleanUp(services.stop)
  await killEachService(run, services, clone, directory)
  await migrateConcurrently(run, services, clone)
}

async function cloneAndSetUp(run: ProofRun, directory: string): Promise<{ clone: string; seconds: number }> {
  const clone = join(directory, 'clone')
  await runCommand(['git', 'clone', '--quiet', '--no-hardlinks', checkout, clone])
  const seconds = await measureSeconds(() =>
    runCommand(['./setup'], { cwd: clone, env: newcomerEnvironment(run, directory) }),
  )
  run.log(`cloned; ./setup took ${seconds} s`)
  run.figure('./setup', `${seconds} s`)
  return { clone, seconds }
}

/** With its own directory for temporary files, because other proofs start services too. With `--full`, all caches are empty. */
function newcomerEnvironment(run: ProofRun, directory: string): NodeJS.ProcessEnv {
  const environment = { ...process.env, TMPDIR: temporaryDirectory(directory) }
  if (run.size !== 'full') return environment
  return {
    ...environment,
    XDG_CACHE_HOME: join(directory, 'cache'),
    GOCACHE: join(directory, 'go-build'),
    GOMODCACHE: join(directory, 'go-modules'),
    GOFLAGS: '-modcacherw', // otherwise the directory could not be removed afterwards
  }
}

const temporaryDirectory = (directory: string) => join(directory, 'tmp')

/** The first start is cold: nothing is installed, and with `--full` no service is built. The second is warm. */
async function startInOneCommand(run: ProofRun, clone: string, directory: string, setupSeconds: number): Promise<void> {
  for (const kind of ['cold', 'warm'] as const) {
    let url = ''
    const dev = new ManagedProcess({
      name: 'npm run dev',
      command: ['npm', 'run', '--silent', 'dev'],
      cwd: clone,
      env: newcomerEnvironment(run, directory),
      logFile: join(directory, `dev-${kind}.log`),
      print: (line) => {
        url = line.match(/Colophon is up .*?(http:\S+)/)?.[1] ?? url
      },
      isReady: async () => url !== '' && (await readReadiness(url)).status === 'ready',
      readyWithinSeconds: kind === 'cold' ? 3600 : 120,
    })
    run.cleanUp(() => dev.stop())
    const seconds = await measureSeconds(() => dev.start())
    const total = kind === 'cold' ? Math.round((setupSeconds + seconds) * 10) / 10 : seconds
    run.log(`npm run dev, ${kind}: ready after ${seconds} s`)
    run.figure(
      kind === 'cold' ? 'cold start: ./setup and npm run dev until ready' : 'warm start: npm run dev until ready',
      `${total} s`,
    )
    const limit = maxWarmStartSeconds[run.size]
    if (kind === 'warm') run.check(seconds <= limit, `a warm start takes at most ${limit} s: ${seconds} s`)

    const pid = dev.pid
    await interrupt(dev)
    const directories = readdirSync(temporaryDirectory(directory)).filter((name) =>
      /^colophon-(services|dev)-/.test(name),
    )
    run.check(directories.length === 0, `Ctrl-C leaves no data directory behind: ${directories.join(', ')}`)
    run.check(pid !== undefined && !(await isProcessRunning(clone)), 'Ctrl-C leaves no process behind')
  }
}

/** Sends SIGINT to the whole process group, as a terminal does on Ctrl-C. */
async function interrupt(dev: ManagedProcess): Promise<void> {
  if (dev.pid !== undefined) process.kill(-dev.pid, 'SIGINT')
  await Promise.race([dev.ended, sleep(30_000)])
}

const isProcessRunning = async (text: string) =>
  (await runCommand(['ps', '-A', '-o', 'args='])).split('\n').some((line) => line.includes(text))

async function killEachService(
  run: ProofRun,
  services: RunningServices,
  clone: string,
  directory: string,
): Promise<void> {
  const instance = await createEmptyTestInstance(services.addresses, 'start-and-recovery')
  await runColophonCommand(['migrate'], { environment: instance.environment, checkout: clone })
  const createRunner = ['admin', 'runner', 'create', '--name', 'proof']
  const token = await runColophonCommand(createRunner, { environment: instance.environment, checkout: clone })
  const gatewayPort = await freePort()
  const environment = {
    ...instance.environment,
    COLOPHON_GATEWAY_LISTEN: `127.0.0.1:${gatewayPort}`,
    COLOPHON_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    COLOPHON_RUNNER_TOKEN: token.trim(),
    COLOPHON_RUNNER_CGROUPS: 'optional',
  }
  const start = async (name: 'api' | 'worker' | 'runner'): Promise<ColophonProcess> => {
    const colophon = await prepareColophonProcess(name, { environment, directory, checkout: clone })
    run.cleanUp(() => colophon.process.stop())
    await colophon.process.start()
    return colophon
  }
  const worker = await start('worker')
  const api = await start('api')
  const runner = await start('runner')
  for (const { process: managed, url } of [worker, api, runner]) {
    run.check(await reachesStatus(url, 'ready', 10), `${managed.name} is ready`)
  }

  const kills = [
    ['clickhouse', 'degraded', 'degraded'],
    ['temporal', 'degraded', 'not_ready'],
    ['postgres', 'not_ready', 'not_ready'],
  ] as const
  for (const [service, apiStatus, workerStatus] of kills) {
    const before = await readReadiness(api.url)
    run.check(before.components[service]?.status === 'ok', `${service} is ok before it is killed`)
    await services.processes[service].kill()
    const noticed = await measureSeconds(async () => {
      run.check(await reachesStatus(api.url, apiStatus, 10), `without ${service}, api reports ${apiStatus}`)
      run.check(await reachesStatus(worker.url, workerStatus, 10), `without ${service}, worker reports ${workerStatus}`)
    })
    const component = (await readReadiness(api.url)).components[service]
    run.check(component?.status === 'failing', `/readyz reports ${service} as failing: ${component?.status}`)
    run.check((await fetch(`${api.url}/healthz`)).ok, `/healthz of api succeeds without ${service}`)
    await services.processes[service].start()
    const recovered = await measureSeconds(async () => {
      for (const { process: managed, url } of [api, worker, runner]) {
        run.check(await reachesStatus(url, 'ready', 60), `${managed.name} is ready again after ${service} is back`)
      }
    })
    run.log(`${service} killed: reported by /readyz within ${noticed} s; all ready ${recovered} s after its restart`)
    run.figure(`${service} killed`, `reported after ${noticed} s, recovered ${recovered} s after its restart`)
  }

  await stopInFlight(run, services, api)

  const processes = [...Object.values(services.processes), worker.process, runner.process]
  await api.process.start()
  for (const managed of [...processes, api.process]) {
    run.figure(`memory of ${managed.name}`, `${Math.round((await managed.memoryBytes()) / 1e6)} MB`)
  }
}

/** A request in flight when the process is stopped still gets its response. */
async function stopInFlight(run: ProofRun, services: RunningServices, api: ColophonProcess): Promise<void> {
  await sleep(1_100) // until the cached report has expired
  services.processes.clickhouse.pause() // so that /readyz takes two seconds, its timeout
  const inFlight = fetch(`${api.url}/readyz`).then(
    async (response) => ({ status: response.status, body: (await response.json()) as Readiness }),
    (error: Error) => error,
  )
  await sleep(500)
  const stopping = api.process.stop()
  const response = await inFlight
  await stopping
  services.processes.clickhouse.resume()
  run.check(
    !(response instanceof Error) && response.body.components.clickhouse?.status === 'failing',
    'a request in flight gets its response while the process stops',
  )
  run.check(
    await fetch(`${api.url}/healthz`).then(
      () => false,
      () => true,
    ),
    'afterwards the process accepts no connection',
  )
}

/** Adds migrations to the proof's own clone that are slow enough for a kill to hit them in the middle. */
async function migrateConcurrently(run: ProofRun, services: RunningServices, clone: string): Promise<void> {
  const tables = ['alpha', 'beta', 'gamma']
  const lastMigration = '9002_proof_gamma'
  for (const [index, table] of tables.entries()) {
    const writeMigration = (database: string, sql: string) => {
      mkdirSync(join(clone, 'server/migrations', database), { recursive: true })
      writeFileSync(join(clone, 'server/migrations', database, `900${index}_proof_${table}.sql`), sql)
    }
    writeMigration(
      'postgres',
      `CREATE TABLE proof_${table} (id int);\nSELECT pg_sleep(0.4);\nINSERT INTO proof_${table} VALUES (1);\n`,
    )
    writeMigration(
      'clickhouse',
      `CREATE TABLE IF NOT EXISTS proof_${table} (id Int8) ENGINE = MergeTree ORDER BY id;\n` +
        `CREATE VIEW IF NOT EXISTS proof_${table}_view AS SELECT id FROM proof_${table};\n`,
    )
  }
  const rounds = { ci: 5, stated: 10, full: 30 }[run.size]
  let killsDuringMigration = 0
  for (let round = 0; round < rounds; round++) {
    const instance = await createEmptyTestInstance(services.addresses, 'migrate-concurrently')
    const logs = [0, 1].map((number) => join(services.directory, `migrate-${round}-${number}.log`))
    const replicas = logs.map((log) => migrateReplica(instance.environment, clone, log))
    await Promise.all(replicas.map((replica) => replica.start()))
    while (!(await readAppliedMigrations(instance.postgresUrl))) await sleep(20)
    // If no kill has hit a migration so far, the last one does: by chance alone, one run in sixteen would have none.
    const mustHit = round === rounds - 1 && killsDuringMigration === 0
    await sleep(run.random() * (mustHit ? 400 : 1400))
    const isWaitingAt = (index: number) =>
      readFileSync(logs[index] ?? '', 'utf8').includes('waiting for another process')
    const randomIndex = run.random() < 0.5 ? 0 : 1
    const victimIndex = mustHit && isWaitingAt(randomIndex) ? 1 - randomIndex : randomIndex
    const victim = replicas[victimIndex]
    const isWaiting = isWaitingAt(victimIndex)
    const isMigrating =
      victim?.pid !== undefined && !(await readAppliedMigrations(instance.postgresUrl))?.includes(lastMigration)
    if (isMigrating && !isWaiting) killsDuringMigration++
    await victim?.kill()
    await Promise.all(replicas.map((replica) => replica.ended))
    // As a process manager restarts the killed process.
    const output = await runColophonCommand(['migrate'], { environment: instance.environment, checkout: clone })
    run.check(!output.includes('migration applied'), `round ${round}: the surviving replica applied all migrations`)
    const rows = await query(
      instance.postgresUrl,
      tables.map((table) => `SELECT id FROM proof_${table}`).join(' UNION ALL '),
    )
    run.check(
      rows.length === tables.length,
      `round ${round}: every PostgreSQL migration is applied exactly once: ${rows.length} of ${tables.length}`,
    )
    const ledger = await readClickhouseMigrations(instance.clickhouseUrl)
    run.check(
      ledger.length === tables.length && new Set(ledger).size === tables.length,
      `round ${round}: every ClickHouse migration is recorded exactly once: ${ledger.join(', ')}`,
    )
    await instance.drop()
  }
  run.log(`two replicas migrated concurrently ${rounds} times, one killed each time`)
  run.figure('concurrent migrations', `${rounds} (${killsDuringMigration} killed in the middle)`)
  run.check(killsDuringMigration > 0, `at least one kill hits a migration in progress: ${killsDuringMigration}`)
}

function migrateReplica(environment: Record<string, string>, clone: string, logFile: string): ManagedProcess {
  return new ManagedProcess({
    name: 'migrate',
    command: [process.execPath, join(clone, 'server/src/main/colophon-server.ts'), 'migrate'],
    env: { PATH: process.env.PATH, ...environment },
    cwd: clone,
    logFile,
    isReady: async () => true,
    readyWithinSeconds: 10,
  })
}

/** The applied migrations, or undefined before the table exists. */
async function readAppliedMigrations(url: string): Promise<string[] | undefined> {
  const ledger = await query(url, "SELECT FROM pg_tables WHERE tablename = 'schema_migration'")
  if (ledger.length === 0) return undefined
  return (await query<{ name: string }>(url, 'SELECT name FROM schema_migration')).map(({ name }) => name)
}

async function query<Row extends pg.QueryResultRow = pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

async function readClickhouseMigrations(url: string): Promise<string[]> {
  const clickhouse = createClient({ url })
  try {
    const response = await clickhouse.query({
      query: "SELECT name FROM schema_migration WHERE name LIKE '900%'",
      format: 'JSONEachRow',
    })
    return (await response.json<{ name: string }>()).map(({ name }) => name)
  } finally {
    await clickhouse.close()
  }
}

interface Readiness {
  status: string
  components: Record<string, { status: string }>
}

const readReadiness = async (url: string): Promise<Readiness> =>
  (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })).json() as Promise<Readiness>

async function reachesStatus(url: string, status: string, withinSeconds: number): Promise<boolean> {
  const deadline = Date.now() + withinSeconds * 1000
  while (Date.now() < deadline) {
    const report = await readReadiness(url).catch(() => undefined)
    if (report?.status === status) return true
    await sleep(200)
  }
  return false
}

async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round((performance.now() - startedAt) / 100) / 10
}
