/** While `api` cannot reach Temporal, it accepts jobs, and the dispatcher starts them. */

import type { StopAction } from './cancel-and-archive.ts'
import { createScript, type ScenarioContext } from './fixture.ts'
import { checkPullRequest } from './pull-requests.ts'

const maxMs = 5_000

export async function temporalUnreachableScenario(
  context: ScenarioContext,
  failure: 'refused' | 'silent',
): Promise<string> {
  const { check, docs, temporalRelays, observations } = context
  const jobs = await context.watchJobs(docs)
  const scripts = [createScript(docs), createScript(docs)] as const
  await temporalRelays.api.setFault({ kind: failure === 'refused' ? 'cut' : 'silence' })
  try {
    const { status, job, tookMs } = await jobs.create(scripts[0].prompt)
    check(
      status === 201 && tookMs < maxMs,
      `a job is created with 201 within ${maxMs} ms, got ${status} after ${tookMs.toFixed(0)} ms`,
    )
    observations.slowestWithoutTemporalMs = Math.max(observations.slowestWithoutTemporalMs, tookMs)
    // Before the dispatcher has run the turn is still queued, so there is nothing to stop.
    for (const stop of ['cancel', 'archive'] satisfies StopAction[]) {
      const { id } = await jobs.createAccepted(createScript(docs).prompt)
      const [turn] = await jobs.messages(id)
      check(turn?.status === 'queued', `the turn is still queued, got ${turn?.status}`)
      const stopped = await jobs[stop](id)
      const end = stop === 'cancel' ? 'failed' : 'archived'
      check(
        stopped.job.status === end && stopped.job.outcome === 'cancelled',
        `${stop} of a queued job takes effect at once, got ${stopped.job.status}, ${stopped.job.outcome}`,
      )
      check(stopped.tookMs < maxMs, `${stop} responds within ${maxMs} ms, took ${stopped.tookMs.toFixed(0)} ms`)
    }
    const message = await jobs.message(job.id, scripts[1].prompt)
    check(
      message.status === 200 && message.tookMs < maxMs,
      `a message is accepted with 200 within ${maxMs} ms, got ${message.status} after ${message.tookMs.toFixed(0)} ms`,
    )
    const completed = await jobs.waitUntilEnded(job.id)
    const files = { ...scripts[0].write, ...scripts[1].write }
    await checkPullRequest(context, jobs, completed, { files, commits: 2 })
  } finally {
    await temporalRelays.api.setFault({ kind: 'none' })
  }
  return 'jobs are accepted, and started by the dispatcher'
}
