/** Attacks as jobs, from the public API to their end. */
import type { AgentJob, JobEvent } from '../../../sdk/src/index.ts'
import type { AgentProject } from '../agents/agent-service.ts'
import { endedJob } from '../agents/ended-job.ts'

export interface EndedAttack {
  job: AgentJob
  events: JobEvent[]
  /** Of its tools, in order, for each try at the turn. */
  outputs: string[][]
}

export async function playJob(project: AgentProject, prompt: string, model?: string): Promise<EndedAttack> {
  const { client, projectId } = project
  const { id } = await client.jobs.create(projectId, { prompt, ...(model && { model }) })
  const events: JobEvent[] = []
  for await (const event of client.jobs.follow(projectId, id)) events.push(event)
  const job = await endedJob(project, id)
  const results = events.filter(({ type }) => type === 'tool_result')
  const outputs = [...Map.groupBy(results, ({ attempt }) => attempt).values()].map((ofOneTry) =>
    ofOneTry.map(({ output = '' }) => output),
  )
  return { job, events, outputs }
}
