/**
 * The last release runs with two api, two worker and two runner processes behind load balancers, under a load of jobs and views. It is
 * upgraded to this version replica by replica, and then downgraded again. Clients send each request once.
 *
 * `npm run prove -- rolling-upgrade -- keep-logs` keeps the logs of the processes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatFinalAgentReply, promptWithScript } from '../testing/harness/scripted-model.ts'
import { judge } from './machines-vanish/judge.ts'
import { Load, type LoadOptions } from './machines-vanish/load.ts'
import { type ProofRun, seededRandom } from './proof.ts'
import { countFailedWorkflowTasks } from './rolling-upgrade/failed-workflow-tasks.ts'
import { prepareUpgradeFixture, type UpgradeFixture } from './rolling-upgrade/fixture.ts'
import type { Version } from './rolling-upgrade/replica.ts'
import { ViewSenders } from './rolling-upgrade/view-senders.ts'

export const guarantee =
  'The last release is upgraded to this version and back, replica by replica, and no request fails and nothing is lost or counted twice'

/** How long two versions run side by side after each replacement, and the load. */
const sizes = {
  ci: { mixedSeconds: 2, jobIntervalMs: 8_000, deliveriesPerSecond: 5, viewEveryMs: 100 },
  stated: { mixedSeconds: 6, jobIntervalMs: 8_000, deliveriesPerSecond: 10, viewEveryMs: 50 },
  full: { mixedSeconds: 60, jobIntervalMs: 6_000, deliveriesPerSecond: 20, viewEveryMs: 25 },
}

/** Of a turn. Longer than it takes to replace an api or a worker, so that turns run while it happens. */
const turnSeconds = 6

const formatPrompt: LoadOptions['formatPrompt'] = (_, { path, content }, seconds) =>
  promptWithScript('Write the page.', [
    { call: [{ tool: 'bash', arguments: { command: `sleep ${seconds}` } }] },
    { call: [{ tool: 'write', arguments: { path, content } }] },
    { say: formatFinalAgentReply('Write a page', 'Adds a page.') },
  ])

export async function prove(run: ProofRun): Promise<void> {
  const { mixedSeconds, viewEveryMs, ...rates } = sizes[run.size]
  const fixture = await prepareUpgradeFixture(run)
  const { previous, current, balancers, replicas } = fixture
  for (const kind of ['api', 'worker', 'runner'] as const)
    await Promise.all(replicas[kind].map((replica) => replica.replaceBy(previous)))
  run.log(`two api, two worker and two runners of ${previous.name} run`)

  const projects = [...fixture.projects]
  const balancer = { name: 'balancer', url: balancers.api.url }
  const load = new Load(projects, [balancer], seededRandom(run.seed + 1), {
    ...rates,
    maxActiveJobs: 4, // as many as the runners can run at the same time
    requestTimeoutMs: 15_000,
    formatPrompt,
  })
  const views = new ViewSenders({
    load,
    url: balancer.url,
    projects,
    everyMs: viewEveryMs,
    random: seededRandom(run.seed + 2),
  })
  load.start()
  await load.createJob({ publish: 'pull_request', seconds: turnSeconds })
  await sleep(mixedSeconds * 1000)

  const replace = async (version: Version, kinds: readonly (keyof UpgradeFixture['replicas'])[]) => {
    for (const kind of kinds)
      for (const replica of replicas[kind]) {
        // So that a turn is running while each replica is replaced.
        const job = load.createJob({ publish: 'pull_request', seconds: turnSeconds })
        await replica.replaceBy(version)
        await job
        run.log(`${replica.name} runs ${version.name}`)
        await sleep(mixedSeconds * 1000)
      }
  }
  const startedAt = performance.now()
  await fixture.runCommand(current, ['migrate'])
  run.log('migrated')
  await replace(current, ['api'])
  // With a token that this version seals, and workers of the last release open.
  const lateProject = await fixture.connectProject(current, 'Project 3')
  projects.push(lateProject)
  await load.createJob({ project: lateProject, publish: 'pull_request', seconds: turnSeconds })
  await replace(current, ['worker', 'runner'])
  const followUps = load.jobs.filter(({ ended, publish }) => ended && publish === 'pull_request').slice(0, 3)
  for (const job of followUps) await load.sendFollowUp(job)
  await sleep(mixedSeconds * 1000)
  run.log(`everything runs ${current.name}; going back`)
  await replace(previous, ['runner', 'worker', 'api'])
  for (const job of followUps.filter(({ ended }) => ended)) await load.sendFollowUp(job)
  const replacingSeconds = (performance.now() - startedAt) / 1000

  await views.stop()
  await load.stop(300)
  const failed = load.samples.filter(({ ok }) => !ok)
  run.check(failed.length === 0, `no request fails: ${failed.length} of ${load.samples.length} did`)
  run.check(views.failures.length === 0, `no view is rejected: ${views.failures.length}, ${views.failures[0]}`)
  const instance = {
    run,
    colophon: fixture,
    services: fixture,
    database: fixture,
    machines: Object.values(replicas).flat(),
    replicas: [balancer],
    projects,
  }
  const verdict = await judge(instance, load, 'upgraded and downgraded', { loadWithinSeconds: 60 })

  const [refused] = await fixture.query<{ job_id: string; refusal: string }>(
    'SELECT job_id, refusal FROM turn WHERE refusal IS NOT NULL',
  )
  run.check(refused === undefined, `no result is refused: ${refused?.job_id}: ${refused?.refusal}`)
  const repeated = await fixture.query<{ turn_id: string }>(
    `SELECT turn_id FROM turn_attempt WHERE ended_at - claimed_at > interval '3 seconds'
       AND EXISTS (SELECT FROM turn_attempt AS later WHERE later.turn_id = turn_attempt.turn_id AND later.number > turn_attempt.number)`,
  )
  run.check(
    repeated.length === 0,
    `running turns finish: ${repeated.length} were performed again, ${repeated[0]?.turn_id}`,
  )
  const failedTasks = await countFailedWorkflowTasks(fixture, load)
  run.check(failedTasks === 0, `each version replays the workflows of the other: ${failedTasks} workflow tasks failed`)

  run.figure('replicas replaced', `${2 * Object.values(replicas).flat().length} in ${replacingSeconds.toFixed(0)} s`)
  run.figure('requests', load.samples.length + views.sent)
  run.figure('failed requests', failed.length + views.failures.length)
  run.figure('jobs', load.jobs.length)
  run.figure('lost jobs', verdict.jobsLost)
  run.figure('deliveries of views', load.deliveries.length)
  run.figure('views lost, views counted twice', `${verdict.viewsLost}, ${verdict.viewsDouble}`)
}
