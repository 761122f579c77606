/** A `worker` loses its network while it works, or is suspended while a job is cancelled, and continues later. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColophonMachine } from './fixture.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

/** The worker loads views, publishes a turn, or queues an attempt. */
const transactionOfWorker = /view_block|publish_lease|INSERT INTO "?turn_attempt/

export const workerSilentScenario: Scenario = {
  name: 'worker silent',
  isInCi: true,
  async run(context) {
    await context.startLoad()
    const worker = await findLoadingWorker(context)
    const when = await worker.machine.vanishInTransaction(transactionOfWorker, 15_000)
    const faultAtMs = performance.now()
    context.log(`${worker.machine.name}, which loads views, has vanished: ${when}`)
    const takingOver = measureTakeover(context, faultAtMs)
    takingOver.catch(() => {}) // it is awaited below
    await context.wait(45, 20)
    context.reportRecovery('requests to both api', faultAtMs, () => true, { maxSeconds: 15 })
    const endedSince = context.load.jobs.filter(({ ended }) => ended && ended.atMs > faultAtMs).length
    context.check(endedSince > 0, `jobs end while one worker is gone: ${endedSince}`)
    context.figure('jobs that ended while it was gone', endedSince)
    await worker.machine.comeBack()
    context.figure('views of that time were counted after', `${((await takingOver) / 1000).toFixed(1)} s`)
    await context.wait(20, 5)
    if (context.size !== 'ci') await suspendWorker(context)
    await context.finish()
  },
}

/** As in the loader of views: "view". */
const loaderLock = 0x76696577

async function findLoadingWorker({ fixture }: ScenarioContext): Promise<ColophonMachine> {
  const [row] = await fixture.database.query<{ address: string }>(
    `SELECT host(client_addr) AS address FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND classid = $1`,
    [loaderLock],
  )
  return fixture.workers.find(({ machine }) => machine.address === row?.address) ?? fixture.workers[0]
}

/** How long it takes until the views that were acknowledged when the worker vanished are counted. */
async function measureTakeover({ fixture }: ScenarioContext, faultAtMs: number): Promise<number> {
  const from = new Date()
  await sleep(2_000)
  for (;;) {
    const [row] = await fixture.database.query<{ waiting: boolean }>(
      "SELECT EXISTS (SELECT FROM view_batch WHERE created_at < $1::timestamptz + interval '2 seconds') AS waiting",
      [from],
    )
    if (row?.waiting === false) return performance.now() - faultAtMs
    await sleep(250)
  }
}

const suspendedSeconds = 40

/** The code host is slow, so that the worker is suspended while it prepares turns. */
async function suspendWorker(context: ScenarioContext): Promise<void> {
  const { fixture, load } = context
  const [, worker] = fixture.workers
  const published = load.jobs.filter(
    ({ publish, ended }) => publish === 'pull_request' && ended?.status === 'completed',
  )
  const jobs = published.slice(-6)
  await fixture.codeHost.setFault({ kind: 'delay', delayMs: 1_000 })
  await Promise.all(jobs.map((job) => load.sendFollowUp(job)))
  await sleep(1_500)
  worker.machine.process.pause()
  await fixture.codeHost.setFault({ kind: 'none' })
  await sleep(5_000)
  await Promise.all(jobs.map((job) => load.cancel(job)))
  await sleep((suspendedSeconds - 5) * 1000)
  worker.machine.process.resume()
  await sleep(5_000)
  const cancelled = jobs.filter(({ ended }) => ended?.outcome === 'cancelled').length
  context.figure('follow-ups, cancelled while a worker was suspended', `${jobs.length}, ${cancelled}`)
  context.check(cancelled > 0, `jobs can be cancelled while a worker is suspended: ${cancelled} of ${jobs.length}`)
}
