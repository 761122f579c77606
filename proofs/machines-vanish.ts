/**
 * Machines lose their network and come back, PostgreSQL fails over, ClickHouse is slow, clocks are wrong and disks are full, while
 * twenty projects send views and create jobs. Senders repeat what was not acknowledged, with the same idempotency key.
 *
 * Arguments after `--` select scenarios by name: `npm run prove -- machines-vanish -- 'api silent'`. `keep-logs` keeps the logs of
 * the processes.
 */
import { apiSilentScenario } from './machines-vanish/api-silent.ts'
import { clickhouseSlowScenario } from './machines-vanish/clickhouse-slow.ts'
import { clocksApartScenario } from './machines-vanish/clocks-apart.ts'
import { disksFullScenario } from './machines-vanish/disks-full.ts'
import { failoverScenario } from './machines-vanish/failover.ts'
import { prepareVanishFixture } from './machines-vanish/fixture.ts'
import { Load } from './machines-vanish/load.ts'
import { runnerSilentScenario } from './machines-vanish/runner-silent.ts'
import { type Scenario, ScenarioContext } from './machines-vanish/scenario.ts'
import { workerSilentScenario } from './machines-vanish/worker-silent.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const guarantee =
  'When a machine vanishes and comes back, the others continue within seconds, and nothing is lost or counted twice'

/** In this order: after a failover, PostgreSQL is not on the small disk anymore. */
const scenarios: readonly Scenario[] = [
  apiSilentScenario,
  workerSilentScenario,
  runnerSilentScenario,
  clickhouseSlowScenario,
  clocksApartScenario,
  disksFullScenario,
  failoverScenario('synchronous'),
  failoverScenario('asynchronous'),
]

export async function prove(run: ProofRun): Promise<void> {
  const selected = await selectScenarios(run)
  const needsSmallDisks = selected.some(({ name }) => name === 'disks full')
  const fixture = await prepareVanishFixture(run, { needsSmallDisks })
  run.log('two api, two worker and three runners are up, each on a machine of its own')
  const load = new Load(fixture.projects, fixture.replicas, seededRandom(run.seed + 1))
  for (const scenario of selected) {
    const context = new ScenarioContext(fixture, load, scenario.name)
    try {
      await scenario.run(context)
    } catch (error) {
      context.check(false, `the scenario runs to its end: ${error instanceof Error ? error.stack : error}`)
      await Promise.all(fixture.machines.map((machine) => machine.comeBack()))
      await load.stop(60)
    }
  }
}

async function selectScenarios(run: ProofRun): Promise<Scenario[]> {
  const words = run.args.filter((argument) => argument !== 'keep-logs')
  const selected: Scenario[] = []
  for (const scenario of scenarios) {
    const isSelected =
      words.length > 0 ? words.some((word) => scenario.name.includes(word)) : run.size !== 'ci' || scenario.isInCi
    if (!isSelected) continue
    const reason = await scenario.reasonToSkip?.()
    if (reason === undefined) selected.push(scenario)
    else run.log(`${scenario.name}: skipped, because ${reason}`)
  }
  return selected
}
