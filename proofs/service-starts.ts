/**
 * A newcomer's first minutes and an operator's bad day: from a fresh clone to a service whose parts all work; each engine
 * killed and back; replicas that migrate at once, one killed in the middle; requests in flight at a stop.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import pg from 'pg'
import { type ColophonProcess, prepareProcess, runColophon, sealingKeySettings } from '../dev-services/colophon.ts'
import { createEmptyTestInstance } from '../dev-services/empty-test-instance.ts'
import { freePort } from '../dev-services/free-port.ts'
import { Part } from '../dev-services/managed-process.ts'
import { runCommand } from '../dev-services/run-command.ts'
import { type Services, startServices } from '../dev-services/start-services.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'From a clone to a running service in one command, and back on its feet after whatever dies'

/** At the small size others may use the machine too. */
const warmSeconds = { ci: 60, stated: 30, full: 30 }
const checkout = join(import.meta.dirname, '..')

export async function prove(run: ProofRun): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  chmodSync(directory, 0o755) // a runner of root works as nobody, who has to read it
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { clone, seconds } = await cloneAndSetUp(run, directory)
  await startInOneCommand(run, clone, directory, seconds)

  const services = await startServices()
  run.cleanUp(services.stop)
  await killEachService(run, services, clone, directory)
  await migrateTogether(run, services, clone)
}

async function cloneAndSetUp(run: ProofRun, directory: string): Promise<{ clone: string; seconds: number }> {
  const clone = join(directory, 'clone')
  await runCommand(['git', 'clone', '--quiet', '--no-hardlinks', checkout, clone])
  const seconds = await secondsOf(() => runCommand(['./setup'], { cwd: clone, env: newcomer(run, directory) }))
  run.say(`cloned, and ./setup ran in ${seconds} s`)
  run.figure('./setup, seconds', seconds)
  return { clone, seconds }
}

/** With `--full` the newcomer's caches are empty, and every engine is built. */
function newcomer(run: ProofRun, directory: string): NodeJS.ProcessEnv {
  if (run.size !== 'full') return process.env
  return {
    ...process.env,
    XDG_CACHE_HOME: join(directory, 'cache'),
    GOCACHE: join(directory, 'go-build'),
    GOMODCACHE: join(directory, 'go-modules'),
    GOFLAGS: '-modcacherw', // or the directory could not be removed afterwards
  }
}

/** The first start is cold: nothing is installed, and with `--full` no engine is built. The second is warm. */
async function startInOneCommand(run: ProofRun, clone: string, directory: string, setupSeconds: number): Promise<void> {
  for (const kind of ['cold', 'warm'] as const) {
    let url = ''
    const before = serviceDirectories()
    const dev = new Part({
      name: 'npm run dev',
      command: ['npm', 'run', '--silent', 'dev'],
      cwd: clone,
      env: newcomer(run, directory),
      logFile: join(directory, `dev-${kind}.log`),
      print: (line) => {
        url = line.match(/Colophon is up .*?(http:\S+)/)?.[1] ?? url
      },
      isReady: async () => url !== '' && (await readiness(url)).status === 'ready',
      readyWithinSeconds: kind === 'cold' ? 3600 : 120,
    })
    run.cleanUp(() => dev.stop())
    const seconds = await secondsOf(() => dev.start())
    const total = kind === 'cold' ? Math.round((setupSeconds + seconds) * 10) / 10 : seconds
    run.say(`npm run dev, ${kind}: everything works after ${seconds} s`)
    run.figure(
      kind === 'cold'
        ? './setup and npm run dev to /readyz all green, cold, seconds'
        : 'npm run dev to /readyz all green, warm, seconds',
      total,
    )
    const most = warmSeconds[run.size]
    if (kind === 'warm') run.check(seconds <= most, `a warm start takes at most ${most} s`)

    const pid = dev.pid
    await interrupt(dev)
    run.check(serviceDirectories().difference(before).size === 0, 'Ctrl-C leaves no data behind')
    run.check(pid !== undefined && !(await mentions(clone)), 'Ctrl-C leaves no process behind')
  }
}

/** What a terminal does on Ctrl-C: everybody in the foreground gets it. */
async function interrupt(dev: Part): Promise<void> {
  if (dev.pid !== undefined) process.kill(-dev.pid, 'SIGINT')
  await Promise.race([dev.ended, sleep(30_000)])
}

const serviceDirectories = () => new Set(readdirSync(tmpdir()).filter((name) => /^colophon-(engines|dev)-/.test(name)))

const mentions = async (text: string) =>
  (await runCommand(['ps', '-A', '-o', 'args='])).split('\n').some((line) => line.includes(text))

async function killEachService(run: ProofRun, services: Services, clone: string, directory: string): Promise<void> {
  const instance = await createEmptyTestInstance(services.addresses, 'service-starts')
  await runColophon(['migrate'], { environment: instance.environment, checkout: clone })
  const gatewayPort = await freePort()
  const environment = {
    ...instance.environment,
    ...(await sealingKeySettings()),
    COLOPHON_GATEWAY_LISTEN: `127.0.0.1:${gatewayPort}`,
    COLOPHON_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    COLOPHON_RUNNER_TOKEN: 'proof',
  }
  const start = async (name: 'api' | 'worker' | 'runner'): Promise<ColophonProcess> => {
    const colophon = await prepareProcess(name, { environment, directory, checkout: clone })
    run.cleanUp(() => colophon.part.stop())
    await colophon.part.start()
    return colophon
  }
  const worker = await start('worker')
  const api = await start('api')
  const runner = await start('runner')
  for (const { part, url } of [worker, api, runner]) {
    run.check(await becomes(url, 'ready', 10), `${part.name} is ready`)
  }

  const kills = [
    ['clickhouse', 'degraded', 'degraded'],
    ['temporal', 'degraded', 'not_ready'],
    ['postgres', 'not_ready', 'not_ready'],
  ] as const
  for (const [engine, ofApi, ofWorker] of kills) {
    const before = await readiness(api.url)
    run.check(before.components[engine]?.status === 'ok', `${engine} works before it is killed`)
    await services.parts[engine].kill()
    const noticed = await secondsOf(async () => {
      run.check(await becomes(api.url, ofApi, 10), `without ${engine} api says ${ofApi}`)
      run.check(await becomes(worker.url, ofWorker, 10), `without ${engine} worker says ${ofWorker}`)
    })
    const named = (await readiness(api.url)).components[engine]
    run.check(named?.status === 'failing', `/readyz names ${engine}`)
    run.check((await fetch(`${api.url}/healthz`)).ok, `api is alive without ${engine}`)
    await services.parts[engine].start()
    const recovered = await secondsOf(async () => {
      for (const { part, url } of [api, worker, runner]) {
        run.check(await becomes(url, 'ready', 60), `${part.name} is ready again when ${engine} is back`)
      }
    })
    run.say(`${engine} killed: /readyz said so within ${noticed} s; all ready ${recovered} s after it was back`)
    run.figure(`${engine} killed: noticed, recovered, seconds`, `${noticed}, ${recovered}`)
  }

  await stopInFlight(run, services, api)

  const parts = [...Object.values(services.parts), worker.part, runner.part]
  await api.part.start()
  for (const part of [...parts, api.part]) {
    run.figure(`memory of ${part.name}, MB`, Math.round((await part.memoryBytes()) / 1e6))
  }
}

/** A request that is being answered when the process is told to stop still gets its answer. */
async function stopInFlight(run: ProofRun, services: Services, api: ColophonProcess): Promise<void> {
  await sleep(1_100) // the last report has grown too old to be given again
  services.parts.clickhouse.pause() // so that /readyz takes its two seconds
  const inFlight = fetch(`${api.url}/readyz`).then(
    async (response) => ({ status: response.status, body: (await response.json()) as Readiness }),
    (error: Error) => error,
  )
  await sleep(500)
  const stopping = api.part.stop()
  const response = await inFlight
  await stopping
  services.parts.clickhouse.resume()
  run.check(
    !(response instanceof Error) && response.body.components.clickhouse?.status === 'failing',
    'a request in flight is answered while the process stops',
  )
  run.check(
    await fetch(`${api.url}/healthz`).then(
      () => false,
      () => true,
    ),
    'and then the process is gone',
  )
}

/** Extra migrations in the proof's own clone, slow enough that a kill hits their middle. */
async function migrateTogether(run: ProofRun, services: Services, clone: string): Promise<void> {
  const tables = ['alpha', 'beta', 'gamma']
  const lastMigration = '9002_proof_gamma'
  for (const [index, table] of tables.entries()) {
    const write = (engine: string, sql: string) => {
      mkdirSync(join(clone, 'server/migrations', engine), { recursive: true })
      writeFileSync(join(clone, 'server/migrations', engine, `900${index}_proof_${table}.sql`), sql)
    }
    write(
      'postgres',
      `CREATE TABLE proof_${table} (id int);\nSELECT pg_sleep(0.4);\nINSERT INTO proof_${table} VALUES (1);\n`,
    )
    write(
      'clickhouse',
      `CREATE TABLE IF NOT EXISTS proof_${table} (id Int8) ENGINE = MergeTree ORDER BY id;\n` +
        `CREATE VIEW IF NOT EXISTS proof_${table}_view AS SELECT id FROM proof_${table};\n`,
    )
  }
  const rounds = { ci: 5, stated: 10, full: 30 }[run.size]
  let hitTheMiddle = 0
  for (let round = 0; round < rounds; round++) {
    const instance = await createEmptyTestInstance(services.addresses, 'migrate-together')
    const logs = [0, 1].map((number) => join(services.directory, `migrate-${round}-${number}.log`))
    const replicas = logs.map((log) => migrateReplica(instance.environment, clone, log))
    await Promise.all(replicas.map((replica) => replica.start()))
    while (!(await applied(instance.postgresUrl))) await sleep(20)
    await sleep(run.random() * 1400)
    const chosen = run.random() < 0.5 ? 0 : 1
    const victim = replicas[chosen]
    const isWaiting = readFileSync(logs[chosen] ?? '', 'utf8').includes('waiting for it')
    const midway = victim?.pid !== undefined && !(await applied(instance.postgresUrl))?.includes(lastMigration)
    if (midway && !isWaiting) hitTheMiddle++
    await victim?.kill()
    await Promise.all(replicas.map((replica) => replica.ended))
    const rest = await runColophon(['migrate'], { environment: instance.environment, checkout: clone }) // what a supervisor does with the one that was killed
    run.check(!rest.includes('migration applied'), `round ${round}: the other replica did the whole work`)
    const rows = await query(
      instance.postgresUrl,
      tables.map((table) => `SELECT id FROM proof_${table}`).join(' UNION ALL '),
    )
    run.check(rows.length === tables.length, `round ${round}: every migration of PostgreSQL happened exactly once`)
    const ledger = await clickhouseNames(instance.clickhouseUrl)
    run.check(
      ledger.length === tables.length && new Set(ledger).size === tables.length,
      `round ${round}: every migration of ClickHouse is in its ledger once`,
    )
    await instance.drop()
  }
  run.say(`two replicas migrated at once ${rounds} times, one killed each time`)
  run.figure('migrations: rounds, of these killed in the middle', `${rounds}, ${hitTheMiddle}`)
  run.check(hitTheMiddle > 0, 'at least one kill hit a migration in flight')
}

function migrateReplica(environment: Record<string, string>, clone: string, logFile: string): Part {
  return new Part({
    name: 'migrate',
    command: [process.execPath, join(clone, 'server/src/main/colophon-server.ts'), 'migrate'],
    env: { PATH: process.env.PATH, ...environment },
    cwd: clone,
    logFile,
    isReady: async () => true,
    readyWithinSeconds: 10,
  })
}

/** The names in the ledger, or undefined before there is one. */
async function applied(url: string): Promise<string[] | undefined> {
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

async function clickhouseNames(url: string): Promise<string[]> {
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

const readiness = async (url: string): Promise<Readiness> =>
  (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })).json() as Promise<Readiness>

async function becomes(url: string, status: string, withinSeconds: number): Promise<boolean> {
  const until = Date.now() + withinSeconds * 1000
  while (Date.now() < until) {
    const report = await readiness(url).catch(() => undefined)
    if (report?.status === status) return true
    await sleep(200)
  }
  return false
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round((performance.now() - startedAt) / 100) / 10
}
