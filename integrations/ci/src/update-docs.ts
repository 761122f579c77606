/** Creates a job for a push, with a key that the CI run gets for its ID token. Shared by the GitHub Action and the GitLab component. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentJob, type Client, createClient, isColophonError } from '@colophon/sdk'
import { describePush, isFromColophon, type Push } from './describe-push.ts'

export interface UpdateDocsOptions {
  url: string
  projectId: string
  /** At most one open pull request per topic. */
  topic: string
  instructions: string
  /** How long to wait for the job. 0: not at all. */
  waitMinutes: number
}

export interface CiRun {
  push: Push
  /** With the URL of the instance as audience. Undefined: the run has no more tokens. */
  requestIdToken(audience: string): Promise<string | undefined>
  /** Keeps the secret out of the log of the run. */
  mask(secret: string): void
  log(line: string): void
  /** Names this push, so that a repeated run creates no second job. */
  idempotencyKey: string
}

export type UpdateDocsResult =
  | { kind: 'skipped'; reason: string }
  | { kind: 'created'; job: AgentJob; jobUrl: string; hasEnded: boolean }

const pollSeconds = 10
const renewBeforeMs = 90_000

export async function updateDocs(options: UpdateDocsOptions, run: CiRun): Promise<UpdateDocsResult> {
  if (isFromColophon(run.push))
    return { kind: 'skipped', reason: 'The pushed commits come from a pull request of Colophon.' }
  const { projectId, topic, waitMinutes } = options
  const url = options.url.replace(/\/+$/, '')
  let session = await openSession(url, projectId, run)
  if (!session) throw new Error('The CI service gave no ID token.')
  const prompt = describePush(run.push, options.instructions)
  const metadata = { repository: run.push.repository, commit: run.push.after }
  const created = await session.client.jobs.create(
    projectId,
    { prompt, topic, metadata },
    { idempotencyKey: run.idempotencyKey },
  )
  const jobUrl = `${url}/projects/${projectId}/jobs/${created.id}`
  run.log(`Job ${created.id}: ${jobUrl}`)
  let job = created
  const deadlineMs = Date.now() + waitMinutes * 60_000
  while (job.status === 'active' && Date.now() < deadlineMs) {
    await sleep(Math.min(pollSeconds * 1000, Math.max(0, deadlineMs - Date.now())))
    if (session.expiresAtMs - Date.now() < renewBeforeMs) session = (await openSession(url, projectId, run)) ?? session
    if (session.expiresAtMs <= Date.now()) break
    job = await session.client.jobs.get(projectId, job.id)
  }
  return { kind: 'created', job, jobUrl, hasEnded: job.status !== 'active' }
}

interface Session {
  client: Client
  expiresAtMs: number
}

async function openSession(url: string, projectId: string, run: CiRun): Promise<Session | undefined> {
  const token = await run.requestIdToken(url)
  if (token === undefined) return undefined
  run.mask(token)
  const { secret, expiresAt } = await exchange(url, projectId, token)
  run.mask(secret)
  return { client: createClient({ baseUrl: url, apiKey: secret }), expiresAtMs: Date.parse(expiresAt) }
}

const maxAttempts = 4

/** The keys of the issuer may have to be read first. A rejected token is not sent again. */
async function exchange(url: string, projectId: string, token: string) {
  const client = createClient({ baseUrl: url })
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.federation.exchangeToken(projectId, { token })
    } catch (error) {
      const mayRetry = isColophonError(error) && (error.code === 'unavailable' || error.code === 'rate_limited')
      if (!mayRetry || attempt === maxAttempts) throw error
      await sleep(Math.min(error.retryAfterSeconds ?? 5, 60) * 1000)
    }
  }
}

/** Markdown of what happened. Titles are of the agent, so they are escaped. */
export function formatSummary(result: UpdateDocsResult): string {
  if (result.kind === 'skipped') return `### Colophon\n\nSkipped. ${result.reason}\n`
  const { job, jobUrl } = result
  const lines = [
    `- Job: [${escapeMarkdown(job.title ?? job.id)}](${jobUrl})`,
    `- Status: ${job.status}${job.outcome === null ? '' : `, ${job.outcome}`}`,
    ...(job.prLink === null ? [] : [`- Pull request: <${encodeURI(job.prLink)}>`]),
    ...(job.error === null ? [] : [`- Error: ${escapeMarkdown(job.error.message)}`]),
  ]
  return `### Colophon\n\n${lines.join('\n')}\n`
}

export const escapeMarkdown = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+\-.!|<>&~@:]/g, (character) => `&#${character.charCodeAt(0)};`)
