/** Injects faults into one project's repository while its jobs run: one after another, in an order given by the seed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountFaults } from '@colophon/github-simulator/control'
import type { TrackedJob } from '../judges/planned-job.ts'
import type { GithubFixture, GithubProject } from './fixture.ts'
import { pickOne, shuffle, type Tally } from './tally.ts'

export const faultKinds = [
  'outages (5xx)',
  'rate limits',
  'lost responses of single calls',
  'expired tokens',
  'expired tokens while publishing',
  'base branch reset',
  'base branch rewritten',
  'pushes to the base branch',
  'repository renamed',
  'former name reused',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface FaultDeps {
  fixture: GithubFixture
  tally: Tally<FaultKind>
  random: () => number
  /** Duration of an outage. */
  outageSeconds: { min: number; max: number }
  /** Between two faults. */
  pause(): Promise<void>
  /** Of all projects. */
  activeJobs: ReadonlySet<TrackedJob>
  stop: AbortSignal
}

/** Operations where a lost response does the most harm. */
const criticalCalls = [
  'git/create-tree',
  'git/create-commit',
  'git/create-ref',
  'git/update-ref',
  'pulls/create',
  'pulls/update',
  'apps/create-installation-access-token',
  'repos/get',
  'git-upload-pack',
]
/** Always active. Publishing takes about 25 calls, and one failed call repeats all of them. */
const webhooks = { drop: 0.15, duplicate: 0.2, maxDelayMs: 2_000 }
const baselineFaults = { chances: { lost_response: 0.008, server_error: 0.002, slow: 0.01 }, slowMs: 700 }
const maxWaitMs = 10_000

export async function injectFaults(deps: FaultDeps, project: GithubProject, first: number): Promise<void> {
  const { fixture, tally, random, outageSeconds, stop } = deps
  const { control, pool } = fixture
  const { repositoryId, base } = project
  const { owner } = project.repository
  const wait = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {})
  const between = (min: number, max: number) => min + random() * (max - min)
  const setFaults = (faults: AccountFaults) =>
    control.setFaults(owner, { webhooks, seed: Math.floor(random() * 2 ** 31), ...faults })
  const injectFor = async (seconds: number, faults: AccountFaults) => {
    await setFaults({ ...faults, forSeconds: seconds })
    await wait(seconds * 1000)
    await setFaults(baselineFaults)
  }

  const turnsWithStatus = async (status: 'running' | 'publishing'): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM turn WHERE project_id = $1 AND status = $2', [
      project.projectId,
      status,
    ])
    return rows.map(({ id }) => id)
  }
  const waitForTurns = async (status: 'running' | 'publishing') => {
    const deadline = Date.now() + maxWaitMs
    while ((await turnsWithStatus(status)).length === 0 && Date.now() < deadline && !stop.aborted) await wait(100)
  }

  const push = async () => {
    const commit = await control.pushFile(
      repositoryId,
      'main',
      `docs/by-person-${base.allCommits.size}.md`,
      '# By a person\n',
    )
    base.history.push(commit)
    base.allCommits.add(commit)
  }
  /** By design a turn is repeated when its base is rewritten, but only once. */
  const repeatedJobs = new Set<TrackedJob>()
  let rewrites = first % 2 === 1
  const resetBase = async (): Promise<boolean> => {
    const projectJobs = [...deps.activeJobs].filter((job) => job.project === project)
    if (projectJobs.some((job) => repeatedJobs.has(job))) return false
    for (const job of projectJobs) repeatedJobs.add(job)
    if (base.history.length < 2) await push()
    base.history.length = 1 + Math.floor(random() * (base.history.length - 1))
    await control.forcePush(repositoryId, 'main', base.history.at(-1) ?? '')
    return true
  }

  const faults: (() => Promise<void>)[] = [
    async () => {
      tally.add('outages (5xx)')
      await injectFor(between(outageSeconds.min, outageSeconds.max), { chances: { server_error: 1 } })
    },
    async () => {
      tally.add('rate limits')
      const chances = { secondary_limit: 0.4, too_many_requests: 0.4, primary_limit: 0.2 }
      await injectFor(between(2, 5), { chances, retryAfterSeconds: 1 + Math.floor(random() * 3) })
    },
    async () => {
      tally.add('lost responses of single calls')
      const operations = shuffle(criticalCalls, random).slice(0, 2)
      await setFaults({
        ...baselineFaults,
        next: operations.map((operation) => ({ kind: 'lost_response', operation })),
      })
    },
    async () => {
      if (project.access === 'token') return // a personal token cannot be renewed
      await waitForTurns('publishing')
      await wait(random() * 500)
      const before = await turnsWithStatus('publishing')
      await control.expireTokens(owner)
      const after = await turnsWithStatus('publishing')
      tally.add('expired tokens')
      if (before.some((id) => after.includes(id))) tally.add('expired tokens while publishing')
    },
    async () => {
      await waitForTurns('running')
      await wait(random() * 2_000)
      if (!(await resetBase())) return
      if (rewrites) await push()
      tally.add(rewrites ? 'base branch rewritten' : 'base branch reset')
      rewrites = !rewrites
    },
    async () => {
      await push()
      tally.add('pushes to the base branch')
    },
    async () => {
      const [before = ''] = project.names
      project.names.unshift(`docs-${project.names.length + 1}`)
      await control.rename(repositoryId, project.names[0] ?? '')
      tally.add('repository renamed')
      if (random() < 0.5) return
      project.decoys.push((await control.createRepository(owner, before)).id)
      tally.add('former name reused')
    },
  ]

  for (let commits = 0; commits < 3; commits++) await push() // so that there are commits to drop
  await setFaults(baselineFaults)
  // Each project starts with another fault, so that every kind occurs early.
  let order = faults.map((_, index) => faults[(index + first * 3) % faults.length] ?? pickOne(faults, random))
  while (!stop.aborted) {
    for (const fault of order) {
      if (stop.aborted) break
      await fault()
      await deps.pause()
    }
    order = shuffle(faults, random)
  }
  await control.setFaults(owner, {})
}
