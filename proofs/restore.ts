/**
 * An instance is backed up twice while jobs run and views arrive, to a directory and to an object storage, and then loses every disk. It is restored on new machines: from one
 * backup with an empty Temporal; with PostgreSQL of the older backup, ClickHouse of the newer one and the Temporal of the end; and the
 * other way round, with Temporal as it was at the older backup. Runners, the code host and the receiver of events go on: they belong to
 * others.
 *
 * Arguments after `--` select restores by name: `npm run prove -- restore -- 'one moment'`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import { loadCredentialCommandConfig } from '../server/src/platform/config.ts'
import { createSealer } from '../server/src/platform/sealed-secrets/sealed-secret.ts'
import type { ConnectedProject } from '../testing/harness/colophon.ts'
import { runColophonCommand } from '../testing/harness/colophon-process.ts'
import { connectTestRepository } from '../testing/harness/connect-test-repository.ts'
import { createEmptyTestInstance } from '../testing/harness/empty-test-instance.ts'
import { hasRow } from '../testing/harness/has-row.ts'
import { createTestInstance, operator } from '../testing/harness/test-instance.ts'
import { freePort } from '../testing/services/free-port.ts'
import { ManagedProcess } from '../testing/services/managed-process.ts'
import { startObjectStorage } from '../testing/services/object-storage.ts'
import { findOrStartServices } from '../testing/services/running-services.ts'
import type { ServiceAddresses } from '../testing/services/start-services.ts'
import { Load, type SentDelivery, viewsPerDelivery } from './machines-vanish/load.ts'
import { type ProofRun, seededRandom } from './proof.ts'
import { type EventReceiver, startEventReceiver } from './restore/event-receiver.ts'
import { judge, type Moments } from './restore/judge.ts'
import { type Ports, startSite } from './restore/site.ts'
import { startEmptyTemporal, startFirstTemporal } from './restore/temporal.ts'

export const guarantee =
  'After every disk is lost, a restored instance has everything from before the moment of its backup, and does nothing twice'

const sizes = {
  ci: { loadSeconds: 10, jobEveryMs: 700, projects: 2, repeated: 20 },
  stated: { loadSeconds: 30, jobEveryMs: 500, projects: 6, repeated: 200 },
  full: { loadSeconds: 300, jobEveryMs: 500, projects: 10, repeated: 1_000 },
} as const

const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '6',
  COLOPHON_JOB_STALL_SECONDS: '5',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '60',
  COLOPHON_JOB_DEADLINE_SECONDS: '300',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}
const runnerCount = 3
const maxOpenJobs = 10
/** A workflow whose state does not fit its job is replaced after about ten minutes, at the usual timers. */
const endWithinSeconds = 420

interface Backup {
  name: string
  /** Settings of the storage that it is in. */
  storage: Readonly<Record<string, string>>
  /** Of `performance.now()`. */
  momentMs: number
}

interface Restore {
  name: string
  postgres: Backup
  clickhouse: Backup
  startTemporal(): Promise<{ address: string }>
}

export async function prove(run: ProofRun): Promise<void> {
  const instance = await prepareInstance(run)
  const { load, temporal } = instance
  const { loadSeconds } = sizes[run.size]
  load.start()
  const stopping = new AbortController()
  const creatingJobs = createJobs(load, sizes[run.size].jobEveryMs, stopping.signal)
  const temporalCopy = await temporal.follow()
  await sleep(loadSeconds * 1000)
  const older = await instance.backUp('directory')
  await temporalCopy.freeze()
  await sleep(loadSeconds * 1000)
  const newer = await instance.backUp('bucket')
  await sleep((loadSeconds / 2) * 1000)
  const lostAtMs = performance.now()
  await instance.destroy()
  stopping.abort()
  await creatingJobs
  await load.stop(1)
  load.unexpected.length = 0 // the machines were lost in the middle of requests
  run.log(`${load.deliveries.length} deliveries, ${load.jobs.length} jobs; every disk is lost`)

  const restores: readonly Restore[] = [
    { name: 'one moment', postgres: newer, clickhouse: newer, startTemporal: () => startEmptyTemporal(run) },
    { name: 'older PostgreSQL', postgres: older, clickhouse: newer, startTemporal: async () => temporal },
    {
      name: 'newer PostgreSQL',
      postgres: newer,
      clickhouse: older,
      async startTemporal() {
        await temporal.process.kill()
        return temporalCopy.start()
      },
    },
  ]
  for (const restore of restores)
    if (run.args.length === 0 || run.args.includes(restore.name)) await instance.restore(restore, lostAtMs)
  run.figure('deliveries of views, jobs', `${load.deliveries.length}, ${load.jobs.length}`)
}

async function prepareInstance(run: ProofRun) {
  const { addresses: shared, release } = await findOrStartServices()
  run.cleanUp(release)
  const ports: Ports = { api: `127.0.0.1:${await freePort()}`, worker: `127.0.0.1:${await freePort()}` }
  const apiUrl = `http://${ports.api}`
  const temporal = await startFirstTemporal(run)
  const events = await startEventReceiver(run)
  const site = await startSite(run, { ports, shared, temporalAddress: temporal.address })
  const original = await createTestInstance(site.addresses, 'restore')
  await original.addModel()
  const settings = { ...timers, COLOPHON_EGRESS_ALLOWED_WEBHOOK_HOSTS: events.host }
  const environment = { ...original.environment, ...settings }
  const projects = await connectProjects(run, original, shared, events)
  const storages = await prepareStorages(run)
  const keys = await generateKeys()
  const tokens = await Promise.all(
    Array.from({ length: runnerCount }, (_, index) => original.createRunnerToken(undefined, `runner-${index + 1}`)),
  )
  await Promise.all([original.pool.end(), original.database.destroy()])
  await site.startColophon(environment)
  for (const [index, token] of tokens.entries())
    await startRunner(run, {
      gatewayUrls: [`http://${ports.worker}`],
      token,
      name: `runner-${index + 1}`,
      gitea: shared.gitea,
    })
  const load = new Load(projects, [{ name: 'api', url: apiUrl }], seededRandom(run.seed + 1), {
    maxActiveJobs: 0,
  })

  return {
    load,
    temporal,
    destroy: site.destroy,
    async backUp(kind: keyof typeof storages): Promise<Backup> {
      const storage = storages[kind]
      const startedAtMs = performance.now()
      await runColophonCommand(['backup'], {
        environment: { ...environment, ...storage, COLOPHON_BACKUP_RECIPIENTS: keys.recipient },
      })
      const seconds = (performance.now() - startedAtMs) / 1000
      const list = await runColophonCommand(['backup', 'list'], { environment: storage })
      const [name = ''] = list.split('\n').at(-1)?.split(': ') ?? []
      const verified = await runColophonCommand(['backup', 'verify'], {
        environment: { ...storage, COLOPHON_BACKUP_IDENTITY: keys.identity },
      })
      run.check(verified.endsWith('The backup is complete.'), `a backup that was just written is complete: ${verified}`)
      run.log(`backed up to a ${kind} in ${seconds.toFixed(1)} s: ${list.split('\n').at(-1)}`)
      const momentMs = Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')) - performance.timeOrigin
      return { name, storage, momentMs }
    },

    async restore({ name, postgres, clickhouse, startTemporal }: Restore, lostAtMs: number): Promise<void> {
      const { address } = await startTemporal()
      const isKnownTemporal = name !== 'one moment'
      const newSite = await startSite(run, { ports, shared, temporalAddress: address })
      const empty = await createEmptyTestInstance(newSite.addresses, 'restored')
      const restored = {
        ...environment,
        COLOPHON_DATABASE_URL: empty.environment.COLOPHON_DATABASE_URL ?? '',
        COLOPHON_CLICKHOUSE_URL: empty.clickhouseUrl,
        COLOPHON_TEMPORAL_ADDRESS: address,
        ...(!isKnownTemporal && { COLOPHON_TEMPORAL_NAMESPACE: 'restored' }),
      }
      const startedAtMs = performance.now()
      const restoreFrom = (backup: Backup, ...options: string[]) =>
        runColophonCommand(['restore', '--backup', backup.name, ...options], {
          environment: { ...restored, ...backup.storage, COLOPHON_BACKUP_IDENTITY: keys.identity },
        })
      if (postgres === clickhouse) await restoreFrom(postgres)
      else {
        await restoreFrom(clickhouse, '--only', 'clickhouse')
        await restoreFrom(postgres, '--only', 'postgres')
      }
      const seconds = (performance.now() - startedAtMs) / 1000
      await newSite.startColophon(restored)
      run.log(`${name}: restored in ${seconds.toFixed(1)} s, api and worker are up`)

      const moments: Moments = { postgresMs: postgres.momentMs, clickhouseMs: clickhouse.momentMs }
      const repeated =
        postgres === clickhouse ? await repeatDeliveries(run, load, apiUrl, moments) : new Set<SentDelivery>()
      const isWaiting = () => hasRow(empty.postgresUrl, 'SELECT FROM view_batch')
      const judging = performance.now()
      const judged = { run, name, apiUrl, gitea: shared.gitea, projects, load, moments, repeated, isWaiting }
      const outcome = await judge(judged, endWithinSeconds)
      const endedSeconds = (performance.now() - judging) / 1000
      const again = [...events.received.values()].filter((times) => isAgain(times, lostAtMs))
      run.check(again.length === 0, `${name}: no event is sent again after the restore: ${again.length}`)
      run.figure(`${name}: restored, all jobs ended after`, `${seconds.toFixed(0)} s, ${endedSeconds.toFixed(0)} s`)
      run.figure(`${name}: views kept, lost`, `${outcome.viewsKept}, ${outcome.viewsLost}`)
      run.figure(`${name}: jobs kept, lost`, `${outcome.jobsKept}, ${outcome.jobsLost}`)
      await newSite.destroy()
    },
  }
}

/** Received before the loss, and after it. */
const isAgain = (times: readonly number[], lostAtMs: number) =>
  times.some((at) => at < lostAtMs) && times.some((at) => at > lostAtMs)

type TestInstance = Awaited<ReturnType<typeof createTestInstance>>

async function connectProjects(
  run: ProofRun,
  instance: TestInstance,
  shared: ServiceAddresses,
  events: EventReceiver,
): Promise<ConnectedProject[]> {
  const repository = await createGiteaTestRepository(shared.gitea)
  run.cleanUp(repository.remove)
  const sealer = createSealer(loadCredentialCommandConfig(instance.environment).sealingKeys)
  const projects: ConnectedProject[] = []
  for (let number = 1; number <= sizes[run.size].projects; number++) {
    const { projectId, secret } = await instance.createProject(`Project ${number}`)
    await connectTestRepository(instance, projectId, repository)
    await instance.stores.endpoints.create(
      projectId,
      {
        kind: 'webhook',
        name: 'all events',
        target: `http://${events.host}/`,
        events: ['job.completed', 'job.pull_request.opened'],
        maxPerSecond: undefined,
        secret: 'whsec_AA==',
      },
      sealer,
      operator,
    )
    projects.push({ projectId, key: secret, repository })
  }
  return projects
}

async function prepareStorages(run: ProofRun) {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-backups-'))
  mkdirSync(join(directory, 'backups'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const { url, bucket, accessKeyId, secretAccessKey, stop } = await startObjectStorage(directory)
  run.cleanUp(stop)
  return {
    directory: { COLOPHON_BACKUP_STORAGE: join(directory, 'backups') },
    bucket: {
      COLOPHON_BACKUP_STORAGE: `s3://${bucket}/colophon`,
      COLOPHON_BACKUP_S3_ENDPOINT: url,
      COLOPHON_BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
      COLOPHON_BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  }
}

async function generateKeys(): Promise<{ recipient: string; identity: string }> {
  const settings = await runColophonCommand(['backup', 'key', 'generate'], { environment: {} })
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(settings)?.[1] ?? ''
  return { recipient: settingOf('COLOPHON_BACKUP_RECIPIENTS'), identity: settingOf('COLOPHON_BACKUP_IDENTITY') }
}

async function startRunner(run: ProofRun, settings: object): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-runner-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  let isReady = false
  const runner = new ManagedProcess({
    name: 'runner',
    command: [process.execPath, join(import.meta.dirname, '../testing/harness/test-runner-process.ts')],
    env: { PATH: process.env.PATH, TMPDIR: directory, TEST_RUNNER: JSON.stringify(settings) },
    logFile: join(directory, 'runner.log'),
    print: () => {
      isReady = true
    },
    isReady: async () => isReady,
    readyWithinSeconds: 30,
  })
  run.cleanUp(() => runner.stop())
  await runner.start()
}

/** As many as the machine can handle, so that at a moment some jobs are in every stage. */
async function createJobs(load: Load, everyMs: number, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const open = load.jobs.filter(({ ended }) => !ended).length
    if (open < maxOpenJobs) {
      const publish = load.jobs.length % 2 === 0 ? 'pull_request' : 'diff'
      void load.createJob({ publish })
    }
    await sleep(everyMs, undefined, { signal: stopping }).catch(() => {})
  }
}

/**
 * Senders repeat deliveries, of which they may have lost the acknowledgement: from before the moment, whose views are there, and from
 * after it, whose views are lost.
 */
async function repeatDeliveries(
  run: ProofRun,
  load: Load,
  apiUrl: string,
  { postgresMs }: Moments,
): Promise<Set<SentDelivery>> {
  const { repeated: max } = sizes[run.size]
  const acknowledged = load.deliveries.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined)
  const before = acknowledged.filter(({ acknowledgedAtMs = 0 }) => acknowledgedAtMs < postgresMs).slice(-max)
  const after = acknowledged.filter(({ sentAtMs }) => sentAtMs > postgresMs).slice(0, max)
  for (const { project, path } of [...before, ...after]) {
    const view = { path: `${path}.md`, userAgent: 'curl/8.7.1' }
    const response = await fetch(`${apiUrl}/v1/ingest/${project.projectId}/views`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${project.key}`,
        'content-type': 'application/json',
        'idempotency-key': path.replace('/delivery/', 'delivery-'),
      },
      body: JSON.stringify({ views: Array.from({ length: viewsPerDelivery }, () => view) }),
    })
    run.check(response.ok, `a repeated delivery is accepted: ${response.status}`)
  }
  return new Set([...before, ...after])
}
