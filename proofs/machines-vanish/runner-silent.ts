/** A runner loses its network in the middle of turns, and reports their results when others have replaced it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { logEndOffset, readLogSince } from '../../testing/harness/service-log.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const turnSeconds = 6
const jobCount = 6

export const runnerSilentScenario: Scenario = {
  name: 'runner silent',
  isInCi: false,
  async run(context) {
    const { fixture, load } = context
    const [runner] = fixture.runners
    if (!runner) throw new Error('there is no runner')
    const workerLog = `${fixture.colophon.directory}/worker.log`
    const logStart = logEndOffset(workerLog)
    await context.startLoad()
    await Promise.all(Array.from({ length: jobCount }, () => load.createJob({ publish: 'diff', seconds: turnSeconds })))
    while (runner.activeTurns() < 2) await sleep(50)
    await sleep(1_000)
    await runner.machine.vanish()
    const faultAtMs = performance.now()
    const lost = await listClaims(context, 'runner-1')
    context.log(`${runner.machine.name} has vanished with ${lost.length} turns`)
    context.check(lost.length > 0, `the runner vanishes while it has turns: ${lost.length}`)
    await context.wait(30)
    context.reportRecovery('requests to both api', faultAtMs, () => true, { maxSeconds: 15 })
    await runner.machine.comeBack()
    await context.wait(20)
    await context.finish()

    const late = (await readLogSince(workerLog, logStart)).requests.filter(
      ({ path, status }) => path?.endsWith('/result') && status >= 400,
    )
    context.figure('turns of the runner, late reports rejected', `${lost.length}, ${late.length}`)
    context.check(late.length > 0, `reports of attempts that were replaced are rejected: ${late.length}`)
    await checkAuthors(context)
  },
}

const listClaims = async ({ fixture }: ScenarioContext, runnerName: string) =>
  fixture.database.query<{ turn_id: string }>(
    `SELECT turn_id FROM turn_attempt JOIN runner ON runner.id = runner_id
     WHERE runner.name = $1 AND claimed_at IS NOT NULL AND ended_at IS NULL`,
    [runnerName],
  )

/** Each result names its runner, which must be the one of the last attempt. */
async function checkAuthors(context: ScenarioContext): Promise<void> {
  const rows = await context.fixture.database.query<{ job_id: string; diff: string; name: string }>(
    `SELECT job.id AS job_id, job.diff, runner.name FROM job
     JOIN turn ON turn.job_id = job.id AND turn.number = 1
     JOIN LATERAL (SELECT runner_id FROM turn_attempt WHERE turn_id = turn.id ORDER BY number DESC LIMIT 1) AS last ON true
     JOIN runner ON runner.id = last.runner_id
     WHERE job.diff IS NOT NULL`,
  )
  const wrong = rows.filter(({ diff, name }) => !diff.includes(`Written by ${name}.`))
  context.check(rows.length > 0, 'there are results as diffs')
  context.check(
    wrong.length === 0,
    `a result is the one of the last attempt: ${wrong.length} of ${rows.length} are not, ${wrong[0]?.job_id}`,
  )
}
