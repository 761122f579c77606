/** Figures for docs/operations/sizing.md: what the machine of compose.yml does, and how much memory it uses for that. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../sdk/src/index.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ProofRun } from '../proof.ts'
import type { ComposeProject } from './compose-project.ts'

const viewsPerRequest = 1_000
const senders = 4
const queryEverySeconds = 0.5
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
const mebibyte = 1024 ** 2

/** Sends views as fast as they are accepted, queries totals, and runs one job after the other. */
export async function measureUnderLoad(
  run: ProofRun,
  compose: ComposeProject,
  { client, projectId, seconds }: { client: Client; projectId: string; seconds: number },
): Promise<void> {
  const startedAt = performance.now()
  const stopping = AbortSignal.timeout(seconds * 1000)
  const done = { views: 0, jobs: 0 }
  const queryMs: number[] = []
  const failures: string[] = []
  const repeat = async (pauseSeconds: number, work: () => Promise<void>) => {
    while (!stopping.aborted) {
      await work().catch((error: unknown) => failures.push(String(error)))
      await sleep(pauseSeconds * 1000)
    }
  }
  const sendViews = async () => {
    const views = Array.from({ length: viewsPerRequest }, (_, index) => ({
      path: `/docs/page-${index % 200}`,
      userAgent: browser,
    }))
    await client.views.ingest(projectId, { views })
    done.views += viewsPerRequest
  }
  const query = async () => {
    const startedAt = performance.now()
    await client.views.list(projectId, {})
    queryMs.push(performance.now() - startedAt)
  }
  const runJob = async () => {
    const { id } = await client.jobs.create(projectId, { prompt: 'Document the --proxy flag in docs/install.md' })
    const job = await waitForJob({ client, projectId }, id, { withinSeconds: 180 })
    if (job.status !== 'completed') throw new Error(`the job ended with ${job.status}`)
    done.jobs += 1
  }
  const peaks = new Map<string, number>()
  const sample = async () => {
    for (const [service, bytes] of await compose.readMemory())
      peaks.set(service, Math.max(peaks.get(service) ?? 0, bytes))
  }
  await Promise.all([
    ...Array.from({ length: senders }, () => repeat(0, sendViews)),
    repeat(queryEverySeconds, query),
    repeat(0, runJob),
    repeat(1, sample),
  ])

  // The last job may take longer.
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  run.check(failures.length === 0, `requests and jobs succeed under load: ${failures.slice(0, 3).join('; ') || 'all'}`)
  const sorted = queryMs.toSorted((a, b) => a - b)
  run.figure('under load: views accepted per second', Math.round(done.views / seconds))
  run.figure('under load: median query of totals', `${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms`)
  run.figure('under load: jobs per minute, one at a time', ((done.jobs * 60) / elapsedSeconds).toFixed(1))
  for (const [service, bytes] of peaks)
    run.figure(`under load: most memory of ${service}`, `${(bytes / mebibyte).toFixed(0)} MiB`)
  const total = [...peaks.values()].reduce((sum, bytes) => sum + bytes, 0)
  run.figure('under load: sum of these', `${(total / mebibyte).toFixed(0)} MiB`)
}
