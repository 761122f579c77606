/** An `api` loses its network in the middle of a transaction that others wait for, and comes back. */
import type { ColophonMachine } from './fixture.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

export const apiSilentScenario: Scenario = {
  name: 'api silent',
  isInCi: true,
  async run(context) {
    const { apis } = context.fixture
    await context.startLoad()
    await vanishAndComeBack(context, apis[0], apis[1], {
      label: 'recording views',
      statement: /INSERT INTO "?(view|batch)_delivery/,
    })
    if (context.size !== 'ci')
      await vanishAndComeBack(context, apis[1], apis[0], {
        label: 'creating a job',
        statement: /FROM project WHERE .* FOR NO KEY/s,
      })
    await context.finish()
  },
}

async function vanishAndComeBack(
  context: ScenarioContext,
  vanishing: ColophonMachine,
  other: ColophonMachine,
  { label, statement }: { label: string; statement: RegExp },
): Promise<void> {
  const when = await vanishing.machine.vanishInTransaction(statement, 15_000)
  const faultAtMs = performance.now()
  context.log(`${vanishing.machine.name} has vanished while ${label}: ${when}`)
  const open = await context.fixture.database.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE client_addr = $1 AND state = 'idle in transaction'",
    [vanishing.machine.address],
  )
  context.check(
    (open[0]?.count ?? 0) > 0,
    `the machine vanishes in an open transaction (${label}): ${open[0]?.count}, ${when}`,
  )
  await context.wait(35, 20)
  const { deliveries, jobs } = context.load
  const waiting = [
    ...deliveries.filter(({ sentAtMs, acknowledgedAtMs }) => sentAtMs < faultAtMs && !acknowledgedAtMs),
    ...jobs.filter(({ sentAtMs, accepted }) => sentAtMs < faultAtMs && !accepted),
  ].length
  context.check(
    waiting === 0,
    `the other api accepts what was sent to the one that vanished (${label}): ${waiting} wait`,
  )
  context.reportRecovery(
    `requests to the other api, ${label}`,
    faultAtMs,
    ({ replica }) => replica === other.machine.name,
    {
      maxSeconds: 15,
    },
  )
  await vanishing.machine.comeBack()
  const backAtMs = performance.now()
  await context.wait(20, 7)
  context.reportRecovery(`requests to both api after it came back, ${label}`, backAtMs, () => true)
}
