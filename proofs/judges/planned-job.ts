/** Runs a planned job as an API client: creates it, sends follow-ups, cancels it if planned, and waits until it ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RetryingClient } from '../../testing/harness/retrying-client.ts'
import { formatScriptPrompt } from '../../testing/harness/scripted-work.ts'
import type { JobPlan } from './job-plans.ts'

export interface TrackedJob {
  plan: JobPlan
  project: { projectId: string; key: string; repository: { owner: string; name: string } }
  accepted: { id: string; atMs: number } | undefined
  /** When the client saw the final status. */
  endedAtMs: number | undefined
}

export interface JobResponse {
  id: string
  status: 'active' | 'completed' | 'archived' | 'failed'
  outcome: string | null
  error: { code: string; message: string } | null
  prLink: string | null
  pullRequest: { url: string; number: number; branch: string } | null
}

export interface TurnResponse {
  number: number
  prompt: string
  status: string
  outcome: string | null
  error: { code: string; message: string } | null
}

const pollEveryMs = 2_000

export async function runPlannedJob(client: RetryingClient, plannedJob: TrackedJob): Promise<void> {
  const { plan, project } = plannedJob
  const { idempotencyKey } = plan
  const [first, ...followUps] = plannedPrompts(plannedJob)
  const post = async (
    path: string,
    options: { body?: unknown; idempotencyKey?: string },
    accepted: readonly number[],
  ) => {
    const { status, json } = await client.sendJson({ method: 'POST', path, key: project.key, ...options })
    if (!accepted.includes(status)) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(json)}`)
    return json
  }

  const jobsPath = `/v2/agent/${project.projectId}/job`
  const { id } = (await post(jobsPath, { body: { prompt: first }, idempotencyKey }, [201])) as JobResponse
  plannedJob.accepted = { id, atMs: Date.now() }
  const path = `${jobsPath}/${id}`
  const waitUntilEnded = async () => {
    while ((await readJob(client, plannedJob.project, id)).status === 'active') await sleep(pollEveryMs)
  }

  for (const [index, prompt] of followUps.entries()) {
    if (plan.followUps === 'when_ended') await waitUntilEnded()
    const message = { body: { prompt }, idempotencyKey: `${idempotencyKey}-message-${index + 1}` }
    await post(`${path}/message`, message, [200])
  }
  if (plan.cancelAfterSeconds !== undefined) {
    await sleep(plan.cancelAfterSeconds * 1000)
    await post(`${path}/cancel`, {}, [200, 409])
  }
  await waitUntilEnded()
  plannedJob.endedAtMs = Date.now()
}

export function plannedPrompts({ plan, project: { repository } }: TrackedJob): string[] {
  return plan.turns.map(({ script }) =>
    formatScriptPrompt({ ...script, repository: `${repository.owner}/${repository.name}` }),
  )
}

type Project = TrackedJob['project']

export const readJob = (client: RetryingClient, project: Project, id: string) =>
  read<JobResponse>(client, project, `job/${id}`)

export const readTurns = async (client: RetryingClient, project: Project, id: string) =>
  (await read<{ messages: TurnResponse[] }>(client, project, `job/${id}/messages`)).messages

export async function listJobIds(client: RetryingClient, project: Project): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const cursorQuery: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { jobs: JobResponse[]; nextCursor: string | null } = await read(
      client,
      project,
      `jobs?limit=50${cursorQuery}`,
    )
    ids.push(...page.jobs.map((job) => job.id))
    cursor = page.nextCursor
  }
  return ids
}

async function read<Json>(client: RetryingClient, { projectId, key }: Project, path: string): Promise<Json> {
  const { status, json } = await client.sendJson({ method: 'GET', path: `/v2/agent/${projectId}/${path}`, key })
  if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(json)}`)
  return json as Json
}
