/** A project's jobs through the public API alone. Every answer, and every step from one to the next, is held against the contract. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob, CreateJobData, ListMessagesResponse } from '../../sdk/src/generated/types.gen.ts'

export type { AgentJob }
export type JobMessage = ListMessagesResponse['messages'][number]

export interface JobResponse {
  status: number
  headers: Headers
  /** Of a refusal. */
  code: string | undefined
  job: AgentJob
  tookMs: number
}

export type Check = (holds: boolean, what: string) => void

/** What all clients of a proof saw together. */
export interface Sightings {
  polls: number
  pollsWhileActive: number
  slowestWithoutTemporalMs: number
  jobs: Set<string>
}

export const noSightings = (): Sightings => ({
  polls: 0,
  pollsWhileActive: 0,
  slowestWithoutTemporalMs: 0,
  jobs: new Set(),
})

const lookEveryMs = 100
const maxWaitMs = 240_000
const statuses = ['active', 'completed', 'archived', 'failed']

export class WatchedJobs {
  readonly #where: { apiUrl: string; projectId: string; key: string }
  readonly #check: Check
  readonly #sightings: Sightings
  /** As each job was seen, without repeats. */
  readonly #histories = new Map<string, AgentJob['status'][]>()

  constructor(where: { apiUrl: string; projectId: string; key: string }, check: Check, sightings: Sightings) {
    this.#where = where
    this.#check = check
    this.#sightings = sightings
  }

  get projectId(): string {
    return this.#where.projectId
  }

  create(prompt: string, more: Omit<CreateJobData['body'], 'prompt'> = {}): Promise<JobResponse> {
    return this.#call('POST', 'job', { prompt, ...more })
  }

  /** One that has to be accepted. */
  async begin(prompt: string, more: Omit<CreateJobData['body'], 'prompt'> = {}): Promise<AgentJob> {
    const { status, headers, job } = await this.create(prompt, more)
    this.#check(status === 201, `a create answers 201, not ${status}`)
    const location = `/v2/agent/${this.projectId}/job/${job.id}`
    this.#check(headers.get('location') === location, 'a create says where the job is')
    return job
  }

  message = (jobId: string, prompt: string) => this.#call('POST', `job/${jobId}/message`, { prompt })

  /** A follow-up that has to be accepted. */
  async followUp(jobId: string, prompt: string): Promise<void> {
    const { status, job } = await this.message(jobId, prompt)
    this.#check(status === 200 && job.status === 'active', `a message is accepted, not ${status}`)
  }

  cancel = (jobId: string) => this.#call('POST', `job/${jobId}/cancel`)
  archive = (jobId: string) => this.#call('POST', `job/${jobId}/archive`)
  get = async (jobId: string) => (await this.#call('GET', `job/${jobId}`)).job

  async messages(jobId: string): Promise<JobMessage[]> {
    const { response } = await this.#fetch('GET', `job/${jobId}/messages`)
    return ((await response.json()) as ListMessagesResponse).messages
  }

  async diff(jobId: string): Promise<string | null> {
    const { response } = await this.#fetch('GET', `job/${jobId}/diff`)
    return ((await response.json()) as { diff: string | null }).diff
  }

  ended = (jobId: string, everyMs?: number) =>
    this.until(jobId, 'it ends', ({ status }) => status !== 'active', everyMs)

  async until(jobId: string, what: string, isSo: (job: AgentJob) => boolean, everyMs = lookEveryMs): Promise<AgentJob> {
    const giveUpAt = Date.now() + maxWaitMs
    for (let job = await this.get(jobId); ; job = await this.get(jobId)) {
      if (isSo(job)) return job
      if (Date.now() > giveUpAt) throw new Error(`waited in vain until ${what}: ${await this.#describe(job)}`)
      await sleep(everyMs)
    }
  }

  async #describe({ id, status, pullRequest }: AgentJob): Promise<string> {
    const turns = (await this.messages(id)).map((turn) => turn.status)
    return `${id} is ${status}, its turns ${turns.join(', ')}, its pull request ${pullRequest?.state ?? 'none'}`
  }

  async untilMessage(jobId: string, number: number, wanted: readonly JobMessage['status'][]): Promise<JobMessage[]> {
    const giveUpAt = Date.now() + maxWaitMs
    for (;;) {
      const messages = await this.messages(jobId)
      const found = messages.find((message) => message.number === number)
      if (found && wanted.includes(found.status)) return messages
      if (Date.now() > giveUpAt) throw new Error(`waited in vain until turn ${number} is ${wanted.join(' or ')}`)
      await sleep(20)
    }
  }

  /** `active → completed`, as this client saw it. */
  history = (jobId: string): string => (this.#histories.get(jobId) ?? []).join(' → ')

  async #call(method: string, path: string, body?: unknown): Promise<JobResponse> {
    const { response, tookMs } = await this.#fetch(method, path, body)
    const job = (await response.json()) as AgentJob & { code?: string }
    if (response.ok) this.#see(job)
    return { status: response.status, headers: response.headers, code: response.ok ? undefined : job.code, job, tookMs }
  }

  async #fetch(method: string, path: string, body?: unknown) {
    const { apiUrl, projectId, key } = this.#where
    const startedAt = performance.now()
    const response = await fetch(`${apiUrl}/v2/agent/${projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    if (response.status === 429 || response.status >= 500)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return { response, tookMs: performance.now() - startedAt }
  }

  #see(job: AgentJob): void {
    const { id, status, prLink, outcome, archivedAt, pullRequest } = job
    this.#sightings.polls++
    this.#sightings.jobs.add(id)
    this.#check(statuses.includes(status), `there is no status "${status}"`)
    if (status === 'active') {
      this.#sightings.pollsWhileActive++
      this.#check(prLink === null, `prLink is null while active, not ${prLink}`)
      this.#check(outcome === null && job.error === null, `no outcome while active, not ${outcome}`)
    } else
      this.#check(prLink === (pullRequest?.url ?? null), `prLink of an ended job is its pull request, not ${prLink}`)
    this.#check(
      (status === 'archived') === (archivedAt !== null),
      `archivedAt of a job that is ${status}: ${archivedAt}`,
    )
    const good = ['pull_request', 'diff', 'no_changes']
    const bad = ['cancelled', 'error']
    if (status === 'completed') this.#check(good.includes(String(outcome)), `completed with outcome ${outcome}`)
    if (status === 'failed') this.#check(bad.includes(String(outcome)), `failed with outcome ${outcome}`)

    const history = this.#histories.get(id) ?? []
    const before = history.at(-1)
    this.#check(before !== 'archived' || status === 'archived', `an archived job is ${status} again`)
    if (before !== status) history.push(status)
    this.#histories.set(id, history)
  }
}
