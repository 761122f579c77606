/** Without faults: how soon an acknowledged view is in the response, and that views sent twice without a key count twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RetryingClient } from '../../testing/harness/retrying-client.ts'
import type { ViewsProject } from './deliveries.ts'
import type { ReportableTimeSpan } from './view-times.ts'

const countedClient = { class: 'assistant', name: 'curl' } as const
const pollEveryMs = 100
const timeoutMs = 60_000

export interface DelayDeps {
  client: RetryingClient
  project: ViewsProject
  span: ReportableTimeSpan
}

/** Returns the delay of each view in milliseconds, from its acknowledgement. */
export async function measureCountingDelays(deps: DelayDeps, count: number, random: () => number): Promise<number[]> {
  const delaysMs: number[] = []
  while (delaysMs.length < count) {
    const atMs = unusedTime(deps, random)
    const path = `/delay/${delaysMs.length}`
    await ingest(deps, { path, atMs, idempotencyKey: `delay ${delaysMs.length}` })
    const acknowledgedAt = performance.now()
    while ((await pathsAt(deps, atMs)).join() !== path) {
      if (performance.now() - acknowledgedAt > timeoutMs)
        throw new Error(`${path} is not in the response after a minute`)
      await sleep(pollEveryMs)
    }
    delaysMs.push(performance.now() - acknowledgedAt)
    await sleep(random() * 1000) // so that it does not run in step with the loader
  }
  return delaysMs
}

/** Without an idempotency key, equal views count as two. */
export async function sendTwiceWithoutIdempotencyKey(deps: DelayDeps, random: () => number): Promise<void> {
  const atMs = unusedTime(deps, random)
  for (let times = 0; times < 2; times++) await ingest(deps, { path: '/delay/twice', atMs })
}

/** A time without views. */
function unusedTime({ project, span }: DelayDeps, random: () => number): number {
  for (;;) {
    const atMs = span.oldestMs + Math.floor(random() * (span.nowMs - span.oldestMs))
    if (project.model.clients({ fromMs: atMs, toMs: atMs + 1 }).size === 0) return atMs
  }
}

async function ingest(
  { client, project }: DelayDeps,
  view: { path: string; atMs: number; idempotencyKey?: string },
): Promise<void> {
  const { path, atMs, idempotencyKey } = view
  const { status } = await client.sendJson({
    method: 'POST',
    path: `/v1/ingest/${project.id}/views`,
    key: project.key,
    body: { views: [{ path: `${path}.md`, userAgent: 'curl/8.7.1', at: new Date(atMs).toISOString() }] },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  if (status !== 200) throw new Error(`a view got ${status} instead of 200`)
  project.model.add({ path, client: countedClient, atMs })
}

async function pathsAt({ client, project }: DelayDeps, atMs: number): Promise<string[]> {
  const [from, to] = [atMs, atMs + 1].map((ms) => new Date(ms).toISOString())
  const { json } = await client.sendJson({
    method: 'GET',
    path: `/v1/analytics/${project.id}/views?dateFrom=${from}&dateTo=${to}`,
    key: project.key,
  })
  return (json as { views: { path: string }[] }).views.map(({ path }) => path)
}
