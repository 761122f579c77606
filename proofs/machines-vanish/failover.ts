/** The machine of PostgreSQL's primary vanishes, and its standby is promoted. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOwnStandby } from '../../testing/harness/own-postgres.ts'
import { startRelay } from '../../testing/harness/relay/relay.ts'
import type { DatabaseServer } from './fixture.ts'
import type { Scenario } from './scenario.ts'

type Replication = 'synchronous' | 'asynchronous'

/** How much an asynchronous standby is behind. */
const lagSeconds = 4
/** The senders of these last seconds get no response, and repeat their requests to the promoted standby, which has none of them. */
const unansweredSeconds = 2.5
/** More than a pool has connections, so that the fault hits all of them. */
const readsAtOnce = 40
/** Until an operator, or a program, has decided that the primary is gone. */
const decisionSeconds = 3

export const failoverScenario = (replication: Replication): Scenario => ({
  name: `failover ${replication}`,
  isInCi: replication === 'asynchronous',
  async run(context) {
    const { fixture, load } = context
    const { run, database } = fixture
    const replicationRelay = await startRelay(database.primary.url)
    run.cleanUp(replicationRelay.stop)
    const standby = await startOwnStandby(database.cleanUp, replicationRelay.url)
    if (replication === 'synchronous') await replicateSynchronously(database)
    await context.startLoad()
    if (replication === 'asynchronous') {
      await replicationRelay.setFault({ kind: 'silence' })
      await sleep((lagSeconds - unansweredSeconds) * 1000)
      for (const { inbound } of fixture.apis) await inbound.setFault({ kind: 'lose_responses' })
      await sleep(unansweredSeconds * 1000)
    }

    if (replication === 'synchronous') await load.readAtOnce(readsAtOnce)
    const failed = database.primary
    const faultAtMs = performance.now()
    await Promise.all([...database.relays, replicationRelay].map((relay) => relay.setFault({ kind: 'silence' })))
    await failed.process.kill()
    await sleep(decisionSeconds * 1000)
    await execute(standby.url, 'SELECT pg_promote(true, 30)')
    database.primary = standby
    for (const relay of database.relays) relay.replaceService(standby.url)
    const inboundRelays = fixture.apis.map(({ inbound }) => inbound)
    await Promise.all([...database.relays, ...inboundRelays].map((relay) => relay.setFault({ kind: 'none' })))
    const promotedAtMs = performance.now()
    context.log(`promoted the standby after ${((promotedAtMs - faultAtMs) / 1000).toFixed(1)} s`)
    await context.wait(40, 18)
    context.reportRecovery('all requests, from the promotion', promotedAtMs, () => true, { maxSeconds: 20 })
    const mayLose = replication === 'asynchronous'
    const verdict = await context.finish({ mayLose, endWithinSeconds: 150 })
    if (mayLose)
      context.figure(
        `acknowledged in the ${lagSeconds} s before the fault, and lost`,
        `${verdict.viewsLost} views, ${load.jobs.filter(({ isLost }) => isLost).length} jobs`,
      )
  },
})

async function replicateSynchronously({ primary }: DatabaseServer): Promise<void> {
  await execute(primary.url, 'ALTER SYSTEM SET synchronous_standby_names = standby')
  await execute(primary.url, 'SELECT pg_reload_conf()')
  const isSynchronous = async () =>
    (await execute(primary.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")) === 1
  while (!(await isSynchronous())) await sleep(100)
}

/** Returns the number of rows. */
async function execute(url: string, statement: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rowCount ?? 0
  } finally {
    await client.end()
  }
}
