import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob, Client } from '../../sdk/src/index.ts'

export async function waitForJob(
  { client, projectId }: { client: Client; projectId: string },
  jobId: string,
  { withinSeconds = 120, everyMs = 100 } = {},
): Promise<AgentJob> {
  const deadline = Date.now() + withinSeconds * 1000
  for (;;) {
    const job = await client.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    if (Date.now() > deadline) throw new Error(`job ${jobId} is still active after ${withinSeconds} s`)
    await sleep(everyMs)
  }
}
