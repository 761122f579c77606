/** The faults, and the alerts that each must raise. A fault may raise others as well: they are not checked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { toLocalhostOrigin } from '../../testing/harness/people.ts'
import { promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { AlertsFixture } from './fixture.ts'
import { writePagePrompt } from './healthy-load.ts'

export interface Fault {
  title: string
  alerts: readonly string[]
  /** Goes on until the signal is aborted. Then everything is repaired. */
  make(fixture: AlertsFixture, repair: AbortSignal): Promise<void>
}

const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function repeat(signal: AbortSignal, seconds: number, work: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    await work(round).catch(() => {}) // it is a fault
    await sleep(seconds * 1000, undefined, { signal }).catch(() => {})
  }
}

const createJob = ({ faultyProject: { client, projectId } }: AlertsFixture, prompt: string) =>
  client.jobs.create(projectId, { prompt })

/** Otherwise the runner would be busy with them during the next fault. */
async function cancelJobs({ faultyProject: { client, projectId } }: AlertsFixture): Promise<void> {
  const { jobs } = await client.jobs.list(projectId, { status: 'active', limit: 100 })
  for (const { id } of jobs) await client.jobs.cancel(projectId, id).catch(() => {}) // it may have ended
}

/** Until runners work on this many turns. */
async function waitForTurns({ colophon }: AlertsFixture, turns: number, repair: AbortSignal): Promise<void> {
  const countClaimed = async () =>
    (
      await colophon.pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM turn_attempt WHERE claimed_at IS NOT NULL AND ended_at IS NULL',
      )
    ).rows[0]?.count ?? 0
  while (!repair.aborted && (await countClaimed()) < turns) await sleep(500)
}

const viewBytes = 400
/** Random text, which does not shrink when it is compressed. */
const randomPath = () => `/${Array.from({ length: 10 }, () => crypto.randomUUID()).join('')}`.slice(0, viewBytes)

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

export const faults: readonly Fault[] = [
  {
    title: 'ClickHouse is down while views arrive',
    alerts: ['ColophonComponentDown', 'ColophonViewsNotLoaded', 'ColophonViewBufferFull'],
    async make({ relays, project: { client, projectId } }, repair) {
      await relays.clickhouse.setFault({ kind: 'cut' })
      await repeat(repair, 0.2, () =>
        client.views.ingest(projectId, {
          views: Array.from({ length: 1_000 }, () => ({ path: randomPath(), userAgent: browser })),
        }),
      )
      await relays.clickhouse.setFault({ kind: 'none' })
    },
  },
  {
    title: 'ClickHouse is slow',
    alerts: ['ColophonClickhouseSlow'],
    async make({ relays }, repair) {
      await relays.clickhouse.setFault({ kind: 'delay', delayMs: 2_000 })
      await until(repair)
      await relays.clickhouse.setFault({ kind: 'none' })
    },
  },
  {
    title: 'ClickHouse rejects a batch of views',
    alerts: ['ColophonViewsQuarantined'],
    async make({ colophon }, repair) {
      const { rows } = await colophon.pool.query<{ id: string }>(
        `INSERT INTO view_batch (shard, month, rows, size_bytes, body)
         VALUES (0, date_trunc('month', now())::date, 1, 10, 'no views') RETURNING id`,
      )
      await until(repair)
      await colophon.pool.query('DELETE FROM view_block WHERE $1 = ANY (batch_ids)', [rows[0]?.id])
      await colophon.pool.query('DELETE FROM view_batch WHERE id = $1', [rows[0]?.id])
    },
  },
  {
    title: 'Temporal is down',
    alerts: ['ColophonJobsNotStarted', 'ColophonWebhooksNotDelivered'],
    async make(fixture, repair) {
      const { project, relays } = fixture
      const { jobs } = await project.client.jobs.list(project.projectId, { status: 'completed', limit: 3 })
      await relays.temporal.setFault({ kind: 'cut' })
      await createJob(fixture, writePagePrompt('waits'))
      for (const { id } of jobs) await project.client.jobs.archive(project.projectId, id)
      await until(repair)
      await relays.temporal.setFault({ kind: 'none' })
    },
  },
  {
    title: 'PostgreSQL is down',
    alerts: ['ColophonRequestsFailing', 'ColophonBacklogUnknown', 'ColophonBackgroundWorkFailing'],
    async make({ relays, project: { client, projectId } }, repair) {
      await relays.postgres.setFault({ kind: 'cut' })
      await repeat(repair, 0.2, () => client.jobs.list(projectId))
      await relays.postgres.setFault({ kind: 'none' })
    },
  },
  {
    title: 'PostgreSQL is slow',
    alerts: ['ColophonDatabasePoolExhausted'],
    async make({ relays, project: { client, projectId } }, repair) {
      await relays.postgres.setFault({ kind: 'delay', delayMs: 300 })
      await Promise.all(Array.from({ length: 60 }, () => repeat(repair, 0.1, () => client.jobs.list(projectId))))
      await relays.postgres.setFault({ kind: 'none' })
    },
  },
  {
    title: 'The runner is killed while it works',
    alerts: ['ColophonRunnersLost', 'ColophonNoRunnerOnline', 'ColophonTurnsWaitForRunner', 'ColophonProcessDown'],
    async make(fixture, repair) {
      const { runner } = fixture
      for (let number = 0; number < 5; number++) await createJob(fixture, writePagePrompt(`lost-${number}`, 60))
      await waitForTurns(fixture, 5, repair)
      await runner.process.kill()
      await until(repair)
      await cancelJobs(fixture)
      await runner.process.start()
    },
  },
  {
    title: 'The code host is down when results are published',
    alerts: ['ColophonPublishingFails'],
    async make(fixture, repair) {
      for (let number = 0; number < 5; number++) await createJob(fixture, writePagePrompt(`unpublished-${number}`, 30))
      await waitForTurns(fixture, 5, repair)
      await sleep(15_000, undefined, { signal: repair }).catch(() => {}) // the agents have their checkouts
      await fixture.relays.codeHost.setFault({ kind: 'cut' })
      await until(repair)
      await fixture.relays.codeHost.setFault({ kind: 'none' })
    },
  },
  {
    title: 'The model fails',
    alerts: ['ColophonModelCallsFailing', 'ColophonTurnsFailing'],
    async make(fixture, repair) {
      const prompt = promptWithScript('Fail.', [{ say: 'x', fault: { kind: 'status', status: 401, times: 1_000 } }])
      await repeat(repair, 4, () => createJob(fixture, prompt))
      await cancelJobs(fixture)
    },
  },
  {
    title: 'The budget of the instance is used up',
    alerts: ['ColophonInstanceBudgetUsed'],
    async make(fixture, repair) {
      const { colophon } = fixture
      await colophon.pool.query(
        `INSERT INTO model_period (scope, period, starts_at, tokens, cost_usd)
         VALUES ('instance', 'hour', date_trunc('hour', now(), 'UTC'), 1000000000000, 0)
         ON CONFLICT (scope, period, starts_at) DO UPDATE SET tokens = model_period.tokens + excluded.tokens`,
      )
      await createJob(fixture, writePagePrompt('refused'))
      await until(repair)
      await colophon.pool.query(
        `UPDATE model_period SET tokens = tokens - 1000000000000 WHERE scope = 'instance' AND tokens >= 1000000000000`,
      )
    },
  },
  {
    title: 'Someone guesses passwords, from many networks',
    alerts: ['ColophonSignInsFailing'],
    async make({ api }, repair) {
      await repeat(repair, 0.1, (round) =>
        fetch(`${api.url}/v2/session`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            origin: toLocalhostOrigin(api.url),
            'x-forwarded-for': `8.8.${round % 250}.${round % 240}`,
          },
          body: JSON.stringify({ email: `person-${round}@example.com`, password: 'a wrong password' }),
        }),
      )
    },
  },
  {
    title: 'A client ignores its rate limit',
    alerts: ['ColophonClientsRateLimited'],
    async make({ project: { client, projectId } }, repair) {
      await Promise.all(Array.from({ length: 4 }, () => repeat(repair, 0.05, () => client.jobs.list(projectId))))
    },
  },
  {
    title: 'The api process gets no CPU time',
    alerts: ['ColophonEventLoopBlocked'],
    async make({ api }, repair) {
      const { pid } = api.process
      if (pid === undefined) throw new Error('api does not run')
      while (!repair.aborted) {
        process.kill(pid, 'SIGSTOP')
        await sleep(1_800)
        process.kill(pid, 'SIGCONT')
        await sleep(1_500)
      }
    },
  },
  {
    title: 'No backup was written for three days',
    alerts: ['ColophonBackupOld'],
    async make({ colophon }, repair) {
      await colophon.pool.query(
        `INSERT INTO instance_backup (moment, finished_at, storage)
         VALUES (now() - interval '3 days', now() - interval '3 days', 's3://backups')`,
      )
      await until(repair)
      await colophon.pool.query('DELETE FROM instance_backup')
    },
  },
  {
    title: 'A certificate expires tomorrow',
    alerts: ['ColophonCertificateExpiring'],
    async make({ startExpiringApi }, repair) {
      const expiring = await startExpiringApi()
      await until(repair)
      await expiring.stop()
    },
  },
]
