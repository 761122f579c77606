/** Results sent through the real runner API, and how their jobs ended, as a client sees it. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { AgentJob } from '../../../sdk/src/generated/types.gen.ts'
import type { ResultRefusalCode } from '../../../server/src/code-hosts/bare-repository.ts'
import type { TurnReport } from '../../../server/src/runner-wire/runner-wire.ts'
import type { ProofRun } from '../../proof.ts'
import type { RunningService } from '../running-service.ts'
import { startTestRunner } from '../test-runner.ts'
import type { AttackedProject } from './attacked-project.ts'

export interface SentResult {
  name: string
  bundle: Buffer
  /** Null: it is accepted. */
  refusedFor: ResultRefusalCode | null
  /** Ids of what it brings along and must not arrive. */
  hidden: readonly string[]
}

export interface EndedResult extends SentResult {
  job: AgentJob
}

/** What a runner says of its work, with all that would act on a code host. */
const forged = {
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

export const reportOf = (baseCommit: string, bundle: Buffer): Extract<TurnReport, { kind: 'result' }> => ({
  kind: 'result',
  baseCommit,
  bundle,
  session: null,
  ...forged,
  reply: 'Done.',
  checks: [],
})

const maxPerHour = 100

/** `runnersAtOnce` enemies, who take the jobs as they come. */
export async function sendResults(
  run: ProofRun,
  service: RunningService,
  { projectId, client, repository, makeRunner }: AttackedProject,
  { gatewayUrl, results, runnersAtOnce }: { gatewayUrl: string; results: readonly SentResult[]; runnersAtOnce: number },
): Promise<EndedResult[]> {
  const token = await makeRunner('enemy')
  const runners = Array.from({ length: runnersAtOnce }, () =>
    startTestRunner(gatewayUrl, token, async ({ prompt }) => {
      const sent = results[Number(prompt)]
      if (!sent) throw new Error(`no result ${prompt}`)
      return reportOf(repository.base.id, sent.bundle)
    }),
  )
  const pool = new pg.Pool({ connectionString: service.instance.postgresUrl, max: 1 })
  const ended: EndedResult[] = []
  try {
    for (let first = 0; first < results.length; first += maxPerHour) {
      const group = results.slice(first, first + maxPerHour)
      const created = new Map<string, SentResult>()
      for (const [index, sent] of group.entries()) {
        created.set((await client.jobs.create(projectId, { prompt: String(first + index) })).id, sent)
      }
      for (const job of await untilEnded({ projectId, client }, group.length)) {
        const sent = created.get(job.id)
        if (sent) ended.push({ ...sent, job })
      }
      run.say(`${ended.length} of ${results.length} results sent, and their jobs ended`)
      await pool.query("UPDATE job SET created_at = created_at - interval '61 minutes'") // the hour's limit is not at stake
    }
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()))
    await pool.end()
  }
  return ended
}

/** In which nothing ends. */
const maxWaitMs = 120_000

/** The newest `count` jobs, when none is active any more. */
export async function untilEnded(
  { projectId, client }: Pick<AttackedProject, 'projectId' | 'client'>,
  count: number,
): Promise<AgentJob[]> {
  let left = count
  for (let until = Date.now() + maxWaitMs; ; ) {
    const { jobs } = await client.jobs.list(projectId, { limit: count })
    const active = jobs.filter(({ status }) => status === 'active').length
    if (active === 0 || Date.now() > until) return jobs
    if (active < left) until = Date.now() + maxWaitMs
    left = active
    await sleep(500)
  }
}
