/** Runs attacks as a job, through the public API. */

import type { AgentJob, JobEvent } from '../../sdk/src/index.ts'
import type { ProjectWithClient } from '../../testing/harness/colophon.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'

export interface AttackJobResult {
  job: AgentJob
  events: JobEvent[]
  /** Outputs of the tools in order, for each attempt. */
  outputs: string[][]
}

export async function runAttackJob(
  project: ProjectWithClient,
  prompt: string,
  model?: string,
): Promise<AttackJobResult> {
  const { client, projectId } = project
  const { id } = await client.jobs.create(projectId, { prompt, ...(model && { model }) })
  const events: JobEvent[] = []
  for await (const event of client.jobs.follow(projectId, id)) events.push(event)
  const job = await waitForJob(project, id)
  const results = events.filter(({ type }) => type === 'tool_result')
  const outputs = [...Map.groupBy(results, ({ attempt }) => attempt).values()].map((attemptResults) =>
    attemptResults.map(({ output = '' }) => output),
  )
  return { job, events, outputs }
}
