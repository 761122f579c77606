/**
 * A client for the jobs of a project that uses only the public API and checks every response and status change against the
 * contract.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob, CreateJobData, ListMessagesResponse } from '../../sdk/src/generated/types.gen.ts'

export type { AgentJob }
export type JobMessage = ListMessagesResponse['messages'][number]

export interface JobHttpResponse {
  status: number
  headers: Headers
  /** The error code of a rejection. */
  code: string | undefined
  job: AgentJob
  tookMs: number
}

export type CheckFunction = (ok: boolean, message: string) => void

/** Collected from all clients of a proof. */
export interface JobObservations {
  polls: number
  pollsWhileActive: number
  slowestWithoutTemporalMs: number
  jobs: Set<string>
}

export const createJobObservations = (): JobObservations => ({
  polls: 0,
  pollsWhileActive: 0,
  slowestWithoutTemporalMs: 0,
  jobs: new Set(),
})

const pollEveryMs = 100
const maxWaitMs = 240_000
const statuses = ['active', 'completed', 'archived', 'failed']

export class CheckingJobsClient {
  readonly #project: { apiUrl: string; projectId: string; key: string }
  readonly #check: CheckFunction
  readonly #observations: JobObservations
  /** The statuses observed for each job, without repetitions. */
  readonly #histories = new Map<string, AgentJob['status'][]>()

  constructor(
    project: { apiUrl: string; projectId: string; key: string },
    check: CheckFunction,
    observations: JobObservations,
  ) {
    this.#project = project
    this.#check = check
    this.#observations = observations
  }

  get projectId(): string {
    return this.#project.projectId
  }

  create(prompt: string, more: Omit<CreateJobData['body'], 'prompt'> = {}): Promise<JobHttpResponse> {
    return this.#call('POST', 'job', { prompt, ...more })
  }

  /** Creates a job and checks that it is accepted. */
  async createAccepted(prompt: string, more: Omit<CreateJobData['body'], 'prompt'> = {}): Promise<AgentJob> {
    const { status, headers, job } = await this.create(prompt, more)
    this.#check(status === 201, `creating a job returns 201: ${status}`)
    const location = `/v2/agent/${this.projectId}/job/${job.id}`
    this.#check(headers.get('location') === location, `creating a job returns its Location: ${headers.get('location')}`)
    return job
  }

  message = (jobId: string, prompt: string) => this.#call('POST', `job/${jobId}/message`, { prompt })

  /** Sends a follow-up and checks that it is accepted. */
  async followUp(jobId: string, prompt: string): Promise<void> {
    const { status, job } = await this.message(jobId, prompt)
    this.#check(
      status === 200 && job.status === 'active',
      `a message is accepted and the job is active: ${status}, ${job.status}`,
    )
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

  waitUntilEnded = (jobId: string, everyMs?: number) =>
    this.waitUntil(jobId, 'the job ends', ({ status }) => status !== 'active', everyMs)

  async waitUntil(
    jobId: string,
    condition: string,
    matches: (job: AgentJob) => boolean,
    everyMs = pollEveryMs,
  ): Promise<AgentJob> {
    const deadline = Date.now() + maxWaitMs
    for (let job = await this.get(jobId); ; job = await this.get(jobId)) {
      if (matches(job)) return job
      if (Date.now() > deadline) throw new Error(`timed out waiting until ${condition}: ${await this.#describe(job)}`)
      await sleep(everyMs)
    }
  }

  async #describe({ id, status, pullRequest }: AgentJob): Promise<string> {
    const turns = (await this.messages(id)).map((turn) => turn.status)
    return `${id} is ${status}, its turns ${turns.join(', ')}, its pull request ${pullRequest?.state ?? 'none'}`
  }

  async waitUntilMessage(
    jobId: string,
    number: number,
    expected: readonly JobMessage['status'][],
  ): Promise<JobMessage[]> {
    const deadline = Date.now() + maxWaitMs
    for (;;) {
      const messages = await this.messages(jobId)
      const found = messages.find((message) => message.number === number)
      if (found && expected.includes(found.status)) return messages
      if (Date.now() > deadline)
        throw new Error(`timed out waiting until turn ${number} is ${expected.join(' or ')}: ${found?.status}`)
      await sleep(20)
    }
  }

  /** For example `active → completed`, as observed by this client. */
  history = (jobId: string): string => (this.#histories.get(jobId) ?? []).join(' → ')

  async #call(method: string, path: string, body?: unknown): Promise<JobHttpResponse> {
    const { response, tookMs } = await this.#fetch(method, path, body)
    const job = (await response.json()) as AgentJob & { code?: string }
    if (response.ok) this.#observe(job)
    return { status: response.status, headers: response.headers, code: response.ok ? undefined : job.code, job, tookMs }
  }

  async #fetch(method: string, path: string, body?: unknown) {
    const { apiUrl, projectId, key } = this.#project
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

  #observe(job: AgentJob): void {
    const { id, status, prLink, outcome, archivedAt, pullRequest } = job
    this.#observations.polls++
    this.#observations.jobs.add(id)
    this.#check(statuses.includes(status), `status is documented: ${status}`)
    if (status === 'active') {
      this.#observations.pollsWhileActive++
      this.#check(prLink === null, `prLink is null while the job is active: ${prLink}`)
      this.#check(
        outcome === null && job.error === null,
        `outcome and error are null while the job is active: ${outcome}, ${job.error?.code}`,
      )
    } else
      this.#check(
        prLink === (pullRequest?.url ?? null),
        `prLink of an ended job is the URL of its pull request: ${prLink}`,
      )
    this.#check(
      (status === 'archived') === (archivedAt !== null),
      `archivedAt is set if and only if the job is archived: ${status}, ${archivedAt}`,
    )
    const successes = ['pull_request', 'diff', 'no_changes']
    const failures = ['cancelled', 'error']
    if (status === 'completed')
      this.#check(successes.includes(String(outcome)), `a completed job has a successful outcome: ${outcome}`)
    if (status === 'failed')
      this.#check(failures.includes(String(outcome)), `a failed job is cancelled or has an error: ${outcome}`)

    const history = this.#histories.get(id) ?? []
    const previous = history.at(-1)
    this.#check(previous !== 'archived' || status === 'archived', `an archived job stays archived: ${status}`)
    if (previous !== status) history.push(status)
    this.#histories.set(id, history)
  }
}
