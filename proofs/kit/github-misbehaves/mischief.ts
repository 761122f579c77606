/** What befalls one project's repository while its jobs run: one thing after the other, in an order by the seed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountFaults } from '../../../dev-services/github/faults.ts'
import type { PlayedJob } from '../played-job.ts'
import type { GithubProject, GithubStage } from './stage.ts'
import { oneOf, shuffled, type Tally } from './tally.ts'

export const mischiefs = [
  '5xx for seconds',
  'limits',
  'answers of single calls lost',
  'tokens expired',
  'of these in mid-publish',
  'base set back',
  'base rewritten',
  'pushes to the base',
  'renamed',
  'old name given away',
] as const
export type Mischief = (typeof mischiefs)[number]

export interface MischiefDeps {
  stage: GithubStage
  tally: Tally<Mischief>
  random: () => number
  /** Of a time without GitHub. */
  awaySeconds: { least: number; most: number }
  /** Between one thing and the next. */
  pause(): Promise<void>
  /** That are not over, of all projects. */
  inPlay: ReadonlySet<PlayedJob>
  stop: AbortSignal
}

/** Where a lost answer hurts most. */
const decisiveCalls = [
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
/** All the time. To publish takes some 25 calls, and one that fails has all of it tried again. */
const webhooks = { drop: 0.15, double: 0.2, maxDelayMs: 2_000 }
const often = { chances: { lost_response: 0.008, server_error: 0.002, slow: 0.01 }, slowMs: 700 }
const maxWaitMs = 10_000

export async function makeMischief(deps: MischiefDeps, project: GithubProject, first: number): Promise<void> {
  const { stage, tally, random, awaySeconds, stop } = deps
  const { control, pool } = stage
  const { repositoryId, base } = project
  const { owner } = project.repository
  const wait = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {})
  const between = (least: number, most: number) => least + random() * (most - least)
  const set = (faults: AccountFaults) =>
    control.faults(owner, { webhooks, seed: Math.floor(random() * 2 ** 31), ...faults })
  const during = async (seconds: number, faults: AccountFaults) => {
    await set({ ...faults, forSeconds: seconds })
    await wait(seconds * 1000)
    await set(often)
  }

  const turnsThatAre = async (status: 'running' | 'publishing'): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM turn WHERE project_id = $1 AND status = $2', [
      project.projectId,
      status,
    ])
    return rows.map(({ id }) => id)
  }
  const untilSomeAre = async (status: 'running' | 'publishing') => {
    const until = Date.now() + maxWaitMs
    while ((await turnsThatAre(status)).length === 0 && Date.now() < until && !stop.aborted) await wait(100)
  }

  const push = async () => {
    const commit = await control.pushFile(repositoryId, 'main', `docs/of-people-${base.ever.size}.md`, '# By people\n')
    base.line.push(commit)
    base.ever.add(commit)
  }
  /** A turn is performed once more when its base is pushed away, but not twice: that is how it is meant. */
  const shaken = new Set<PlayedJob>()
  let rewrites = first % 2 === 1
  const setBack = async (): Promise<boolean> => {
    const ours = [...deps.inPlay].filter((job) => job.project === project)
    if (ours.some((job) => shaken.has(job))) return false
    for (const job of ours) shaken.add(job)
    if (base.line.length < 2) await push()
    base.line.length = 1 + Math.floor(random() * (base.line.length - 1))
    await control.forcePush(repositoryId, 'main', base.line.at(-1) ?? '')
    return true
  }

  const acts: (() => Promise<void>)[] = [
    async () => {
      tally.add('5xx for seconds')
      await during(between(awaySeconds.least, awaySeconds.most), { chances: { server_error: 1 } })
    },
    async () => {
      tally.add('limits')
      const chances = { secondary_limit: 0.4, too_many_requests: 0.4, primary_limit: 0.2 }
      await during(between(2, 5), { chances, retryAfterSeconds: 1 + Math.floor(random() * 3) })
    },
    async () => {
      tally.add('answers of single calls lost')
      const operations = shuffled(decisiveCalls, random).slice(0, 2)
      await set({ ...often, next: operations.map((operation) => ({ kind: 'lost_response', operation })) })
    },
    async () => {
      if (project.access === 'token') return // nobody could mint another one
      await untilSomeAre('publishing')
      await wait(random() * 500)
      const before = await turnsThatAre('publishing')
      await control.expireTokens(owner)
      const after = await turnsThatAre('publishing')
      tally.add('tokens expired')
      if (before.some((id) => after.includes(id))) tally.add('of these in mid-publish')
    },
    async () => {
      await untilSomeAre('running')
      await wait(random() * 2_000)
      if (!(await setBack())) return
      if (rewrites) await push()
      tally.add(rewrites ? 'base rewritten' : 'base set back')
      rewrites = !rewrites
    },
    async () => {
      await push()
      tally.add('pushes to the base')
    },
    async () => {
      const [before = ''] = project.names
      project.names.unshift(`docs-${project.names.length + 1}`)
      await control.rename(repositoryId, project.names[0] ?? '')
      tally.add('renamed')
      if (random() < 0.5) return
      project.decoys.push((await control.makeRepository(owner, before)).id)
      tally.add('old name given away')
    },
  ]

  for (let commits = 0; commits < 3; commits++) await push() // so that there is something to push away
  await set(often)
  // Each begins elsewhere, so that everything has happened early.
  let order = acts.map((_, index) => acts[(index + first * 3) % acts.length] ?? oneOf(acts, random))
  while (!stop.aborted) {
    for (const act of order) {
      if (stop.aborted) break
      await act()
      await deps.pause()
    }
    order = shuffled(acts, random)
  }
  await control.faults(owner, {})
}
