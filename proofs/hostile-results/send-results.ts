/** Sends results through the real runner API and reads how their jobs ended through the public API. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob } from '../../sdk/src/generated/types.gen.ts'
import type { ResultRefusalCode } from '../../server/src/code-hosts/bare-repository.ts'
import type { TurnReport } from '../../server/src/runner-wire/runner-wire.ts'
import type { Colophon } from '../../testing/harness/colophon.ts'
import { startTestRunner } from '../../testing/harness/test-runner.ts'
import type { ProofRun } from '../proof.ts'
import type { AttackedProject } from './attacked-project.ts'

export interface CraftedResult {
  name: string
  bundle: Buffer
  /** Null if the result is to be accepted. */
  expectedRefusal: ResultRefusalCode | null
  /** Ids of objects in the bundle that must not reach the code host. */
  forbiddenObjectIds: readonly string[]
}

export interface FinishedResult extends CraftedResult {
  job: AgentJob
}

/** A runner's title and summary, with everything that a code host acts on. */
const hostileText = {
  title: 'New page\n\nCo-authored-by: Mallory <mallory@example.com>',
  summary: [
    'Closes #1, fixes GH-2. @colophon-admin [skip ci]',
    '![seen](https://mallory.example/pixel.png)',
    '',
    'Signed-off-by: Mallory <mallory@example.com>',
    'Reviewed-by: colophon-admin <colophon-admin@localhost.invalid>',
    '/merge',
  ].join('\n'),
}

export const buildHostileReport = (baseCommit: string, bundle: Buffer): Extract<TurnReport, { kind: 'result' }> => ({
  kind: 'result',
  baseCommit,
  bundle,
  session: null,
  ...hostileText,
  reply: 'Done.',
  checks: [],
})

const maxPerHour = 100

/** Starts `concurrentRunners` hostile runners, which claim the jobs. */
export async function sendResults(
  run: ProofRun,
  colophon: Colophon,
  { projectId, client, repository, createRunner }: AttackedProject,
  {
    gatewayUrl,
    results,
    concurrentRunners,
  }: { gatewayUrl: string; results: readonly CraftedResult[]; concurrentRunners: number },
): Promise<FinishedResult[]> {
  const token = await createRunner('hostile')
  const runners = Array.from({ length: concurrentRunners }, () =>
    startTestRunner(gatewayUrl, token, async ({ prompt }) => {
      const result = results[Number(prompt)]
      if (!result) throw new Error(`no result ${prompt}`)
      return buildHostileReport(repository.base.id, result.bundle)
    }),
  )
  const finished: FinishedResult[] = []
  try {
    for (let first = 0; first < results.length; first += maxPerHour) {
      const group = results.slice(first, first + maxPerHour)
      const created = new Map<string, CraftedResult>()
      for (const [index, result] of group.entries()) {
        created.set((await client.jobs.create(projectId, { prompt: String(first + index) })).id, result)
      }
      for (const job of await waitUntilJobsEnd({ projectId, client }, group.length)) {
        const result = created.get(job.id)
        if (result) finished.push({ ...result, job })
      }
      run.log(`${finished.length} of ${results.length} results sent, jobs ended`)
      await colophon.pool.query("UPDATE job SET created_at = created_at - interval '61 minutes'") // to stay below the hourly rate limit, which is not tested here
    }
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()))
  }
  return finished
}

/** Since the last job ended. */
const maxWaitMs = 120_000

/** Returns the newest `count` jobs once none of them is active. */
export async function waitUntilJobsEnd(
  { projectId, client }: Pick<AttackedProject, 'projectId' | 'client'>,
  count: number,
): Promise<AgentJob[]> {
  let remaining = count
  for (let deadline = Date.now() + maxWaitMs; ; ) {
    const { jobs } = await client.jobs.list(projectId, { limit: count })
    const active = jobs.filter(({ status }) => status === 'active').length
    if (active === 0 || Date.now() > deadline) return jobs
    if (active < remaining) deadline = Date.now() + maxWaitMs
    remaining = active
    await sleep(500)
  }
}
