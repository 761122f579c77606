import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob } from '../../../sdk/src/index.ts'
import type { AgentProject } from './agent-service.ts'

export async function endedJob(
  { client, projectId }: Pick<AgentProject, 'client' | 'projectId'>,
  jobId: string,
  { withinSeconds = 120, everyMs = 100 } = {},
): Promise<AgentJob> {
  const until = Date.now() + withinSeconds * 1000
  for (;;) {
    const job = await client.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    if (Date.now() > until) throw new Error(`the job ${jobId} is active after ${withinSeconds} s`)
    await sleep(everyMs)
  }
}
