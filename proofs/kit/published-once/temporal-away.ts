/** With Temporal out of reach of `api`, what is accepted is accepted, and done when the dispatcher comes by. */
import { checkPullRequest } from './pull-requests.ts'
import { type Scene, scriptFor } from './stage.ts'
import type { Stop } from './stops.ts'

const maxMs = 2_500

export async function temporalAway(scene: Scene, how: 'refuses' | 'is silent'): Promise<string> {
  const { check, docs, toTemporal, sightings } = scene
  const jobs = await scene.jobsOf(docs)
  const scripts = [scriptFor(docs), scriptFor(docs)] as const
  if (how === 'refuses') await toTemporal.api.cut()
  else toTemporal.api.silence()
  try {
    const { status, job, tookMs } = await jobs.create(scripts[0].prompt)
    check(status === 201 && tookMs < maxMs, `a create answers 201 in ${tookMs.toFixed(0)} ms`)
    sightings.slowestWithoutTemporalMs = Math.max(sightings.slowestWithoutTemporalMs, tookMs)
    // Before the dispatcher has come by: still queued, so that there is nothing to stop.
    for (const stop of ['cancel', 'archive'] satisfies Stop[]) {
      const { id } = await jobs.begin(scriptFor(docs).prompt)
      const [turn] = await jobs.messages(id)
      check(turn?.status === 'queued', `nobody has heard of it yet: ${turn?.status}`)
      const stopped = await jobs[stop](id)
      const end = stop === 'cancel' ? 'failed' : 'archived'
      check(stopped.job.status === end && stopped.job.outcome === 'cancelled', `${stop} of a queued job is at once`)
      check(stopped.tookMs < maxMs, `${stop} answers in ${stopped.tookMs.toFixed(0)} ms`)
    }
    const message = await jobs.message(job.id, scripts[1].prompt)
    check(message.status === 200 && message.tookMs < maxMs, `a message answers in ${message.tookMs.toFixed(0)} ms`)
    const ended = await jobs.ended(job.id)
    const files = { ...scripts[0].write, ...scripts[1].write }
    await checkPullRequest(scene, jobs, ended, { files, commits: 2 })
  } finally {
    await toTemporal.api.mend()
  }
  return 'creates are accepted, and done when the dispatcher comes by'
}
