/** Reports of the maximum size, many at once: from callers without a valid token, and from runners with a turn. */

import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey } from '../../server/src/keys/key-format.ts'
import { encodeReport, maxBundleBytes, maxSessionBytes } from '../../server/src/runner-wire/runner-wire.ts'
import type { Colophon } from '../../testing/harness/colophon.ts'
import type { ProofRun } from '../proof.ts'
import type { AttackedProject } from './attacked-project.ts'
import { createRunnerApiClient, type RunnerRequest } from './runner-api-client.ts'
import { buildHostileReport, waitUntilJobsEnd } from './send-results.ts'

const concurrentTurns = 5 // the maximum per project

export async function floodRunnerApi(
  run: ProofRun,
  colophon: Colophon,
  { projectId, client, repository, createRunner }: AttackedProject,
  gatewayUrl: string,
): Promise<void> {
  const calls = createRunnerApiClient(run, colophon, gatewayUrl)
  const token = await createRunner('flooding')
  const report = {
    ...buildHostileReport(repository.base.id, Buffer.alloc(maxBundleBytes, 'no bundle ')),
    session: Buffer.alloc(maxSessionBytes),
  }
  const body = encodeReport(report)

  const unauthorizedCalls = { ci: 4, stated: 20, full: 60 }[run.size]
  const rejections = await Promise.all(
    Array.from({ length: unauthorizedCalls }, (_, index) => {
      const forgedToken = index % 2 === 0 ? generateKey('colophon_attempt_') : undefined
      const request: RunnerRequest = { path: index % 4 < 2 ? 'result' : 'events', token: forgedToken, body }
      return calls.send(request)
    }),
  )
  const statuses = rejections.map(({ status }) => status)
  run.check(
    statuses.every((status, index) => status === (index % 2 === 0 ? 404 : 401)),
    `${unauthorizedCalls} unauthorized reports of 32 MB are rejected with 404 or 401, got ${statuses}`,
  )

  for (let index = 0; index < concurrentTurns; index++) await client.jobs.create(projectId, { prompt: 'a flood' })
  const turns = await Promise.all(
    (await client.jobs.list(projectId, { limit: concurrentTurns })).jobs.map(({ id }) => calls.claimJob(token, id)),
  )
  let retries = 0
  await Promise.all(
    turns.map(async ({ attemptToken }) => {
      for (;;) {
        const { status } = await calls.send({ path: 'result', token: attemptToken, body })
        if (status !== 503) return run.check(status === 204, `a report of 32 MB is accepted with 204, got ${status}`)
        retries += 1
        await sleep(300)
      }
    }),
  )
  const jobs = await waitUntilJobsEnd({ projectId, client }, concurrentTurns)
  run.check(
    jobs.every(({ error }) => error?.message.endsWith(' (not_a_bundle).')),
    `each 32 MB report is refused with not_a_bundle, got ${jobs.map(({ error }) => error?.message)}`,
  )
  run.figure('concurrent 32 MB reports, unauthorized and authorized', `${unauthorizedCalls}, ${concurrentTurns}`)
  run.log(`${retries} reports got 503 and were retried`)
}
