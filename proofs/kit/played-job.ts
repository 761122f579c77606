/** A job from its client's side: created, followed up, cancelled as planned, and waited for. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobPlan } from './job-plans.ts'
import type { PatientClient } from './patient-client.ts'
import { promptOf } from './scripted-work.ts'

export interface PlayedJob {
  plan: JobPlan
  project: { projectId: string; key: string; repository: { owner: string; name: string } }
  accepted: { id: string; atMs: number } | undefined
  /** When the client saw that nothing more comes. */
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

export async function playJob(client: PatientClient, played: PlayedJob): Promise<void> {
  const { plan, project } = played
  const { idempotencyKey } = plan
  const [first, ...followUps] = promptsOf(played)
  const post = async (path: string, more: { body?: unknown; idempotencyKey?: string }, accepted: readonly number[]) => {
    const { status, json } = await client.ask({ method: 'POST', path, key: project.key, ...more })
    if (!accepted.includes(status)) throw new Error(`POST ${path} was answered ${status}: ${JSON.stringify(json)}`)
    return json
  }

  const jobsPath = `/v2/agent/${project.projectId}/job`
  const { id } = (await post(jobsPath, { body: { prompt: first }, idempotencyKey }, [201])) as JobResponse
  played.accepted = { id, atMs: Date.now() }
  const path = `${jobsPath}/${id}`
  const untilEnded = async () => {
    while ((await readJob(client, played.project, id)).status === 'active') await sleep(pollEveryMs)
  }

  for (const [index, prompt] of followUps.entries()) {
    if (plan.followUps === 'when_ended') await untilEnded()
    const message = { body: { prompt }, idempotencyKey: `${idempotencyKey}-message-${index + 1}` }
    await post(`${path}/message`, message, [200])
  }
  if (plan.cancelAfterSeconds !== undefined) {
    await sleep(plan.cancelAfterSeconds * 1000)
    await post(`${path}/cancel`, {}, [200, 409])
  }
  await untilEnded()
  played.endedAtMs = Date.now()
}

export function promptsOf({ plan, project: { repository } }: PlayedJob): string[] {
  return plan.turns.map(({ script }) => promptOf({ ...script, repository: `${repository.owner}/${repository.name}` }))
}

type Project = PlayedJob['project']

export const readJob = (client: PatientClient, project: Project, id: string) =>
  read<JobResponse>(client, project, `job/${id}`)

export const readTurns = async (client: PatientClient, project: Project, id: string) =>
  (await read<{ messages: TurnResponse[] }>(client, project, `job/${id}/messages`)).messages

export async function listJobIds(client: PatientClient, project: Project): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { jobs: JobResponse[]; nextCursor: string | null } = await read(client, project, `jobs?limit=50${from}`)
    ids.push(...page.jobs.map((job) => job.id))
    cursor = page.nextCursor
  }
  return ids
}

async function read<Json>(client: PatientClient, { projectId, key }: Project, path: string): Promise<Json> {
  const { status, json } = await client.ask({ method: 'GET', path: `/v2/agent/${projectId}/${path}`, key })
  if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${JSON.stringify(json)}`)
  return json as Json
}
