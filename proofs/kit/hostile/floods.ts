/** As much as can be sent, by many at once: by strangers, and by runners that each have a turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey } from '../../../server/src/keys/key-format.ts'
import { encodeReport, maxBundleBytes, maxSessionBytes } from '../../../server/src/runner-wire/runner-wire.ts'
import type { ProofRun } from '../../proof.ts'
import type { RunningService } from '../running-service.ts'
import type { AttackedProject } from './attacked-project.ts'
import { type RunnerRequest, runnerCalls } from './runner-calls.ts'
import { reportOf, untilEnded } from './sent-results.ts'

const turnsAtOnce = 5 // as many as a project may have

export async function floods(
  run: ProofRun,
  service: RunningService,
  { projectId, client, repository, makeRunner }: AttackedProject,
  gatewayUrl: string,
): Promise<void> {
  const calls = runnerCalls(run, service, gatewayUrl)
  const token = await makeRunner('flooding')
  const report = {
    ...reportOf(repository.base.id, Buffer.alloc(maxBundleBytes, 'no bundle ')),
    session: Buffer.alloc(maxSessionBytes),
  }
  const body = encodeReport(report)

  const strangers = { ci: 4, stated: 20, full: 60 }[run.size]
  const refusals = await Promise.all(
    Array.from({ length: strangers }, (_, index) => {
      const made = index % 2 === 0 ? generateKey('colophon_attempt_') : undefined
      const request: RunnerRequest = { path: index % 4 < 2 ? 'result' : 'events', token: made, body }
      return calls.send(request)
    }),
  )
  const statuses = refusals.map(({ status }) => status)
  run.check(
    statuses.every((status, index) => status === (index % 2 === 0 ? 404 : 401)),
    `${strangers} strangers with 32 MB each are sent away: ${statuses}`,
  )

  for (let index = 0; index < turnsAtOnce; index++) await client.jobs.create(projectId, { prompt: 'a flood' })
  const turns = await Promise.all(
    (await client.jobs.list(projectId, { limit: turnsAtOnce })).jobs.map(({ id }) => calls.claimFor(token, id)),
  )
  let sentAgain = 0
  await Promise.all(
    turns.map(async ({ attemptToken }) => {
      for (;;) {
        const { status } = await calls.send({ path: 'result', token: attemptToken, body })
        if (status !== 503) return run.check(status === 204, `a report of 32 MB is taken: ${status}`)
        sentAgain += 1
        await sleep(300)
      }
    }),
  )
  const jobs = await untilEnded({ projectId, client }, turnsAtOnce)
  run.check(
    jobs.every(({ error }) => error?.message.endsWith('Refused: not_a_bundle.')),
    `and is refused for what it is: ${jobs.map(({ error }) => error?.message)}`,
  )
  run.figure('strangers with 32 MB each; runners with 32 MB each at once', `${strangers}; ${turnsAtOnce}`)
  run.say(`${sentAgain} times a runner was told to wait`)
}
