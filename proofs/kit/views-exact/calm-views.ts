/** With nothing broken: how soon an acknowledged view is in the answer, and what is counted twice because it was sent twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PatientClient } from '../patient-client.ts'
import type { ExactProject } from './deliveries.ts'
import type { TimeSpan } from './view-times.ts'

const reader = { class: 'assistant', agent: 'curl' } as const
const lookEveryMs = 100
const givenUpAfterMs = 60_000

export interface CalmDeps {
  client: PatientClient
  project: ExactProject
  span: TimeSpan
}

/** Of each view, from its acknowledgement. */
export async function waitsUntilCounted(deps: CalmDeps, count: number, random: () => number): Promise<number[]> {
  const waitsMs: number[] = []
  while (waitsMs.length < count) {
    const atMs = lonelyMoment(deps, random)
    const path = `/calm/${waitsMs.length}`
    await ingest(deps, { path, atMs, idempotencyKey: `calm ${waitsMs.length}` })
    const acknowledgedAt = performance.now()
    while ((await pathsAt(deps, atMs)).join() !== path) {
      if (performance.now() - acknowledgedAt > givenUpAfterMs)
        throw new Error(`${path} is not in the answer after a minute`)
      await sleep(lookEveryMs)
    }
    waitsMs.push(performance.now() - acknowledgedAt)
    await sleep(random() * 1000) // so that it does not keep step with the loader's rounds
  }
  return waitsMs
}

/** Equal views without an id are two readers. */
export async function sendTwiceWithoutId(deps: CalmDeps, random: () => number): Promise<void> {
  const atMs = lonelyMoment(deps, random)
  for (let times = 0; times < 2; times++) await ingest(deps, { path: '/calm/twice', atMs })
}

/** When nobody read anything. */
function lonelyMoment({ project, span }: CalmDeps, random: () => number): number {
  for (;;) {
    const atMs = span.oldestMs + Math.floor(random() * (span.nowMs - span.oldestMs))
    if (project.model.readers({ fromMs: atMs, toMs: atMs + 1 }).size === 0) return atMs
  }
}

async function ingest(
  { client, project }: CalmDeps,
  view: { path: string; atMs: number; idempotencyKey?: string },
): Promise<void> {
  const { path, atMs, idempotencyKey } = view
  const { status } = await client.ask({
    method: 'POST',
    path: `/v1/ingest/${project.id}/views`,
    key: project.key,
    body: { views: [{ path: `${path}.md`, userAgent: 'curl/8.7.1', at: new Date(atMs).toISOString() }] },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  if (status !== 200) throw new Error(`a calm view was answered with ${status}`)
  project.model.add({ path, reader, atMs })
}

async function pathsAt({ client, project }: CalmDeps, atMs: number): Promise<string[]> {
  const [from, to] = [atMs, atMs + 1].map((ms) => new Date(ms).toISOString())
  const { json } = await client.ask({
    method: 'GET',
    path: `/v1/analytics/${project.id}/views?dateFrom=${from}&dateTo=${to}`,
    key: project.key,
  })
  return (json as { views: { path: string }[] }).views.map(({ path }) => path)
}
