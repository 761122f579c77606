/** Reads the end of every healthy job and the counts of every healthy project through the API, and compares them with what was sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryingClient } from '../../testing/harness/retrying-client.ts'
import { waitUntilLoaded } from '../ingest-rate/backlog.ts'
import { listJobIds, readJob } from '../judges/planned-job.ts'
import type { LoadedProject, NoisyNeighborFixture } from './fixture.ts'
import type { HealthyLoad, SentJob, SentViews } from './healthy-load.ts'

const pollEveryMs = 1_000
const endWithinSeconds = 120
const loadWithinSeconds = 120
const pageSize = 250

export async function judgeHealthyProjects(fixture: NoisyNeighborFixture, load: HealthyLoad): Promise<void> {
  const { run, api, healthy, colophon } = fixture
  const client = new RetryingClient([{ url: api.url, openWrites: 0 }], AbortSignal.timeout(600_000))
  run.check(
    load.failures.length === 0,
    `every request of a healthy project succeeds: ${load.failures.length} failed, ${load.failures[0]}`,
  )

  const ends = await Promise.all(load.jobs.map((job) => waitForEnd(client, job)))
  const unfinished = ends.filter((end) => end !== undefined)
  run.check(
    unfinished.length === 0,
    `all jobs of the healthy projects complete: ${unfinished.length} of ${ends.length} do not, ${unfinished[0]}`,
  )
  let unknownJobs = 0
  for (const project of healthy) {
    const sent = new Set(load.jobs.filter((job) => job.project === project).map(({ id }) => id))
    const ids = await listJobIds(client, project)
    unknownJobs += ids.filter((id) => !sent.has(id)).length
  }
  run.check(unknownJobs === 0, `no job is created twice: ${unknownJobs}`)

  const loadedAfterSeconds = await waitUntilLoaded(colophon.pool, loadWithinSeconds)
  await sleep(2_000) // the last block may still be on its way
  let wrongPages = 0
  let example = ''
  for (const project of healthy) {
    const sent = load.sentViews.filter((views) => views.project === project)
    const wrong = comparePages(sent, await readPages(client, project))
    wrongPages += wrong.length
    example ||= wrong[0] ?? ''
  }
  run.check(wrongPages === 0, `each acknowledged view is counted once: ${wrongPages} pages are wrong, ${example}`)
  const acknowledged = load.sentViews.filter(({ isAcknowledged }) => isAcknowledged)
  run.figure('healthy jobs, completed', `${ends.length}, ${ends.length - unfinished.length}`)
  run.figure(
    'healthy views, acknowledged and counted once',
    `${acknowledged.reduce((sum, { views }) => sum + views, 0)}, the last ones after ${loadedAfterSeconds.toFixed(1)} s`,
  )
}

/** Adds the duration to the samples of the job's phase. Returns why it is not completed as planned. */
async function waitForEnd(
  client: RetryingClient,
  { project, publish, phase, id }: SentJob,
): Promise<string | undefined> {
  if (id === undefined) return 'it was not accepted'
  const untilMs = performance.now() + endWithinSeconds * 1000
  for (;;) {
    const { status, outcome, error } = await readJob(client, project, id)
    if (status === 'completed' && outcome === publish) break
    if (status !== 'active') return `${id} is ${status} with the outcome ${outcome} and the error ${error?.code}`
    if (performance.now() > untilMs) return `${id} is still active`
    await sleep(pollEveryMs)
  }
  const path = `/v2/agent/${project.projectId}/job/${id}/messages`
  const { json } = await client.sendJson({ method: 'GET', path, key: project.key })
  const [turn] = (json as { messages: { createdAt: string; endedAt: string }[] }).messages
  if (turn) phase?.samples.push({ kind: 'job', durationMs: Date.parse(turn.endedAt) - Date.parse(turn.createdAt) })
  return undefined
}

async function readPages(client: RetryingClient, { projectId, key }: LoadedProject): Promise<Map<string, number>> {
  const pages = new Map<string, number>()
  for (let offset = 0; ; offset += pageSize) {
    const path = `/v1/analytics/${projectId}/views?aiScope=all&limit=${pageSize}&offset=${offset}`
    const { status, json } = await client.sendJson({ method: 'GET', path, key })
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(json)}`)
    const page = json as { views: { path: string; total: number }[]; hasMore: boolean }
    for (const { path: pagePath, total } of page.views) pages.set(pagePath, total)
    if (!page.hasMore) return pages
  }
}

/** Each delivery and each beacon has a page of its own. */
function comparePages(sent: readonly SentViews[], counted: Map<string, number>): string[] {
  const wrong: string[] = []
  for (const { path, views, isAcknowledged } of sent) {
    const actual = counted.get(path) ?? 0
    counted.delete(path)
    if (isAcknowledged ? actual !== views : actual > views)
      wrong.push(`${path} has ${actual} views instead of ${views}`)
  }
  for (const [path, actual] of counted) wrong.push(`${path} has ${actual} views that nobody sent`)
  return wrong
}
