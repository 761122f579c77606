/** What can happen to a job on the way to its pull request. The same scenarios run on every code host. */

import type { LossKind } from '../../testing/harness/relay/http-relay.ts'
import type { ProofRun, ProofSize } from '../proof.ts'
import { cancelThenContinueScenario, stopPoints } from './cancel-and-archive.ts'
import {
  type CodeHostKind,
  codeHostLabels,
  createPublishFixture,
  type PublishFixture,
  type ScenarioContext,
  scenarioContext,
} from './fixture.ts'
import {
  isWrite,
  openPullRequestTwiceScenario,
  publishFromTwoWorkersScenario,
  recordHostCalls,
  runWithFailedCall,
} from './lost-responses.ts'
import {
  branchDeletedScenario,
  branchMovesConflictingScenario,
  branchMovesMergeableScenario,
  branchMovesTwiceScenario,
} from './moved-branches.ts'
import {
  baseBranchMovesScenario,
  emptyResultScenario,
  followUpAfterEndScenario,
  followUpsScenario,
  messagesRunInOrderScenario,
} from './pull-requests.ts'
import {
  neutralizesAgentTextScenario,
  neutralizesTextOnGiteaScenario,
  publishingSettingsScenario,
} from './templates-and-text.ts'
import { temporalUnreachableScenario } from './temporal-unreachable.ts'
import { oneJobPerTopicScenario, publishAsDiffScenario } from './topics-and-diffs.ts'

interface Scenario {
  name: string
  /** Not in the `ci` size, because a similar scenario is. */
  isStatedOnly?: boolean
  /** Returns a short summary of the result. */
  run(context: ScenarioContext): Promise<string>
}

/** Runs the scenarios whose names contain one of the given words, or all. Returns how many. */
export async function runScenarios(run: ProofRun, on: CodeHostKind): Promise<number> {
  const fixture = await createPublishFixture(run, on)
  run.log(`Colophon, ${codeHostLabels[on]} and runners are ready`)
  // At the small size, every scenario runs on Gitea, and a third of them, which the seed selects, on GitHub.
  const isInSmallSize = ({ isStatedOnly }: Scenario) => !isStatedOnly && (on === 'gitea' || run.random() < 1 / 3)
  const isSelected = (scenario: Scenario) =>
    run.args.length > 0
      ? run.args.some((word) => scenario.name.includes(word))
      : run.size !== 'ci' || isInSmallSize(scenario)
  const concurrent = concurrentScenarios(run.size, on).filter(isSelected)
  const sequential = sequentialScenarios.filter(isSelected)
  const width = Math.max(...[...concurrent, ...sequential].map(({ name }) => name.length))
  await runAll(fixture, concurrent, width, 5)
  await runAll(fixture, sequential, width, 1)
  await countOnHost(fixture)
  return concurrent.length + sequential.length
}

function concurrentScenarios(size: ProofSize, on: CodeHostKind): Scenario[] {
  return [
    { name: 'a call to the host fails', run: (context) => failCalls(context, size) },
    { name: 'topic', run: oneJobPerTopicScenario },
    { name: 'templates and webhook', run: publishingSettingsScenario },
    { name: 'active text from the agent', run: neutralizesAgentTextScenario },
    ...(on === 'gitea' ? [{ name: 'active text on Gitea', run: neutralizesTextOnGiteaScenario }] : []),
    { name: 'follow-ups', run: followUpsScenario },
    { name: 'publish: diff', run: publishAsDiffScenario },
    { name: 'messages to an active job', run: messagesRunInOrderScenario },
    { name: 'nothing changed', run: emptyResultScenario },
    { name: 'the base branch moves', run: baseBranchMovesScenario },
    { name: 'the branch moves, mergeable', run: branchMovesMergeableScenario },
    { name: 'the branch moves, not mergeable', run: branchMovesConflictingScenario, isStatedOnly: true },
    { name: 'the branch moves twice', run: branchMovesTwiceScenario },
    { name: 'the branch is deleted', run: branchDeletedScenario, isStatedOnly: true },
    { name: 'merged, noticed', run: followUpAfterEndScenario('merged', 'noticed') },
    { name: 'merged, not yet noticed', run: followUpAfterEndScenario('merged', 'unnoticed'), isStatedOnly: true },
    { name: 'merged while the agent works', run: followUpAfterEndScenario('merged', 'working') },
    { name: 'merged while publishing', run: followUpAfterEndScenario('merged', 'publishing') },
    { name: 'closed, noticed', run: followUpAfterEndScenario('closed', 'noticed'), isStatedOnly: true },
    { name: 'closed, not yet noticed', run: followUpAfterEndScenario('closed', 'unnoticed') },
    { name: 'closed while the agent works', run: followUpAfterEndScenario('closed', 'working'), isStatedOnly: true },
    { name: 'closed while publishing', run: followUpAfterEndScenario('closed', 'publishing'), isStatedOnly: true },
    ...stops.filter(({ isExclusive }) => !isExclusive),
    { name: 'cancel, then a new message', run: cancelThenContinueScenario },
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
  { name: 'Temporal refuses connections', run: (context) => temporalUnreachableScenario(context, 'refused') },
  {
    name: 'Temporal does not respond',
    run: (context) => temporalUnreachableScenario(context, 'silent'),
    isStatedOnly: true,
  },
  {
    name: 'two workers, one paused',
    run: (context) => publishFromTwoWorkersScenario(context, 'paused', 'opensPullRequest'),
    isStatedOnly: true,
  },
  {
    name: 'two workers, one paused at the push',
    run: (context) => publishFromTwoWorkersScenario(context, 'paused', 'pushes'),
    isStatedOnly: true,
  },
  {
    name: 'two workers, both running',
    run: (context) => publishFromTwoWorkersScenario(context, 'disconnected', 'opensPullRequest'),
    isStatedOnly: true,
  },
  { name: 'two workers, simultaneous calls', run: openPullRequestTwiceScenario, isStatedOnly: true },
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
