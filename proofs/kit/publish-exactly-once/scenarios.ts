/** What can happen to a job on the way to its pull request. The same scenarios run on every code host. */

import type { ProofRun, ProofSize } from '../../proof.ts'
import type { LossKind } from '../faulty-relay.ts'
import { cancelThenContinue, stopPoints } from './cancel-and-archive.ts'
import {
  createPublishFixture,
  type HostName,
  hostNames,
  type PublishFixture,
  type ScenarioContext,
  scenarioContext,
} from './fixture.ts'
import {
  isWrite,
  openPullRequestTwice,
  publishFromTwoWorkers,
  recordHostCalls,
  runWithFailedCall,
} from './lost-responses.ts'
import { branchDeleted, branchMovesConflicting, branchMovesMergeable, branchMovesTwice } from './moved-branches.ts'
import { baseBranchMoves, emptyResult, followUpAfterEnd, followUps, messagesRunInOrder } from './pull-requests.ts'
import { neutralizesAgentText, neutralizesTextOnGitea, publishingSettings } from './templates-and-text.ts'
import { temporalUnreachable } from './temporal-unreachable.ts'
import { diffs, topics } from './topics-and-diffs.ts'

interface Scenario {
  name: string
  /** Not in the `ci` size, because a similar scenario is. */
  isStatedOnly?: boolean
  /** Returns a short summary of the result. */
  run(context: ScenarioContext): Promise<string>
}

/** Runs the scenarios whose names contain one of the given words, or all. Returns how many. */
export async function runScenarios(run: ProofRun, on: HostName): Promise<number> {
  const fixture = await createPublishFixture(run, on)
  run.log(`Colophon, ${hostNames[on]} and runners are ready`)
  const isSelected = ({ name, isStatedOnly }: Scenario) =>
    run.args.length > 0 ? run.args.some((word) => name.includes(word)) : run.size !== 'ci' || !isStatedOnly
  const concurrent = concurrentScenarios(run.size, on).filter(isSelected)
  const sequential = sequentialScenarios.filter(isSelected)
  const width = Math.max(...[...concurrent, ...sequential].map(({ name }) => name.length))
  await runAll(fixture, concurrent, width, 5)
  await runAll(fixture, sequential, width, 1)
  await countOnHost(fixture)
  return concurrent.length + sequential.length
}

function concurrentScenarios(size: ProofSize, on: HostName): Scenario[] {
  return [
    { name: 'a call to the host fails', run: (context) => failCalls(context, size) },
    { name: 'topic', run: topics },
    { name: 'templates and webhook', run: publishingSettings },
    { name: 'active text from the agent', run: neutralizesAgentText },
    ...(on === 'gitea' ? [{ name: 'active text on Gitea', run: neutralizesTextOnGitea }] : []),
    { name: 'follow-ups', run: followUps },
    { name: 'publish: diff', run: diffs },
    { name: 'messages to an active job', run: messagesRunInOrder },
    { name: 'nothing changed', run: emptyResult },
    { name: 'the base branch moves', run: baseBranchMoves },
    { name: 'the branch moves, mergeable', run: branchMovesMergeable },
    { name: 'the branch moves, not mergeable', run: branchMovesConflicting, isStatedOnly: true },
    { name: 'the branch moves twice', run: branchMovesTwice },
    { name: 'the branch is deleted', run: branchDeleted, isStatedOnly: true },
    { name: 'merged, noticed', run: followUpAfterEnd('merged', 'noticed') },
    { name: 'merged, not yet noticed', run: followUpAfterEnd('merged', 'unnoticed'), isStatedOnly: true },
    { name: 'merged while the agent works', run: followUpAfterEnd('merged', 'working') },
    { name: 'merged while publishing', run: followUpAfterEnd('merged', 'publishing') },
    { name: 'closed, noticed', run: followUpAfterEnd('closed', 'noticed'), isStatedOnly: true },
    { name: 'closed, not yet noticed', run: followUpAfterEnd('closed', 'unnoticed') },
    { name: 'closed while the agent works', run: followUpAfterEnd('closed', 'working'), isStatedOnly: true },
    { name: 'closed while publishing', run: followUpAfterEnd('closed', 'publishing'), isStatedOnly: true },
    ...stops.filter(({ isExclusive }) => !isExclusive),
    { name: 'cancel, then a new message', run: cancelThenContinue },
  ]
}

const stops = stopPoints.map(({ point, run, isExclusive = false, isSequential = isExclusive }) => ({
  name: `cancel, archive: ${point}`,
  isExclusive,
  async run(context: ScenarioContext) {
    if (isSequential) for (const stop of ['cancel', 'archive'] as const) await run(context, stop)
    else await Promise.all([run(context, 'cancel'), run(context, 'archive')])
    return 'ends as the contract specifies'
  },
}))

/** These interrupt Temporal or a worker, so nothing else may run. */
const sequentialScenarios: readonly Scenario[] = [
  ...stops.filter(({ isExclusive }) => isExclusive),
  { name: 'Temporal refuses connections', run: (context) => temporalUnreachable(context, 'refused') },
  { name: 'Temporal does not respond', run: (context) => temporalUnreachable(context, 'silent'), isStatedOnly: true },
  {
    name: 'two workers, one paused',
    run: (context) => publishFromTwoWorkers(context, 'paused', 'opensPullRequest'),
    isStatedOnly: true,
  },
  {
    name: 'two workers, one paused at the push',
    run: (context) => publishFromTwoWorkers(context, 'paused', 'pushes'),
    isStatedOnly: true,
  },
  {
    name: 'two workers, both running',
    run: (context) => publishFromTwoWorkers(context, 'disconnected', 'opensPullRequest'),
    isStatedOnly: true,
  },
  { name: 'two workers, simultaneous calls', run: openPullRequestTwice, isStatedOnly: true },
]

/** `ci`: the writes of a first turn. `stated`: every call. `full`: every call, with every kind of loss. */
async function failCalls(context: ScenarioContext, size: ProofSize): Promise<string> {
  const projects = [await context.connect(), await context.connect()] as const
  const calls = (await recordHostCalls(context, projects[0])).filter(
    (call) => size !== 'ci' || (call.turn === 'first' && isWrite(call)),
  )
  const losses: readonly LossKind[] =
    size === 'full' ? ['response_lost', 'request_lost', 'response_500'] : ['response_lost']
  const planned = calls.flatMap((call) => losses.map((loss) => ({ call, loss })))
  const waiting = [...planned]
  const runNext = async (project: (typeof projects)[number]) => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await runWithFailedCall(context, project, next.call, next.loss)
  }
  await Promise.all(projects.map(runNext))
  context.run.figure('failed calls to the host, one per job', planned.length)
  return `${planned.length} jobs, each with one pull request and one commit per turn`
}

/** Runs `concurrency` at a time. A scenario that throws does not stop the others. */
async function runAll(
  fixture: PublishFixture,
  scenarios: readonly Scenario[],
  width: number,
  concurrency: number,
): Promise<void> {
  const waiting = [...scenarios]
  const runNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name } = next
      try {
        fixture.run.log(`${name.padEnd(width)}  ${await next.run(scenarioContext(fixture, name))}`)
      } catch (error) {
        fixture.run.check(false, `${name}: ${error instanceof Error ? error.stack : error}`)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runNext))
}

/** Over all scenarios, from the final state on the host. */
async function countOnHost({ run, docs, observations }: PublishFixture): Promise<void> {
  const all = await docs.person.pullRequests()
  const open = all.filter(({ state }) => state === 'open').map(({ branch }) => branch)
  const duplicates = open.length - new Set(open).size
  run.check(duplicates === 0, `no branch has more than one open pull request, got ${duplicates}`)
  run.figure('points of a turn at which jobs were cancelled or archived', stopPoints.length + 1)
  run.figure('jobs, responses checked against the contract', `${observations.jobs.size}, ${observations.polls}`)
  run.figure('responses of active jobs, prLink null in each', observations.pollsWhileActive)
  run.figure('pull requests in the main repository, duplicates', `${all.length}, ${duplicates}`)
  if (observations.slowestWithoutTemporalMs > 0)
    run.figure('slowest job creation without Temporal', `${observations.slowestWithoutTemporalMs.toFixed(0)} ms`)
}
