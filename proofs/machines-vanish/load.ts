/**
 * A small, steady load of all projects: deliveries of views, jobs, and reads. A sender repeats a request with the same
 * idempotency key, on the other replica, until it is acknowledged. Remembers what was acknowledged, for the judge.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatScriptPrompt } from '../../testing/harness/scripted-work.ts'
import type { JobResponse } from '../judges/planned-job.ts'
import type { RequestSample } from './latency.ts'

export interface LoadProject {
  projectId: string
  key: string
  repository: { owner: string; name: string }
}

/** Each has a page of its own, so that the judge can tell which delivery is missing or was counted twice. */
export interface SentDelivery {
  project: LoadProject
  path: string
  views: number
  sentAtMs: number
  acknowledgedAtMs: number | undefined
  attempts: number
  /** Acknowledged, but lost with a primary without a synchronous standby. */
  isLost: boolean
}

export interface SentJob {
  project: LoadProject
  number: number
  publish: 'pull_request' | 'diff'
  sentAtMs: number
  accepted: { id: string; atMs: number } | undefined
  ended: { status: string; outcome: string | null; error: string | undefined; atMs: number } | undefined
  /** How many messages were sent after the first one. */
  followUps: number
  mayBeCancelled: boolean
  isLost: boolean
}

export interface LoadReplica {
  name: string
  url: string
}

export interface LoadOptions {
  deliveriesPerSecond: number
  jobIntervalMs: number
  /** No job is created by itself while so many have not ended: on a slow machine they would wait longer and longer. 0: none at all. */
  maxActiveJobs: number
  requestTimeoutMs: number
  /** The prompt of a turn that writes a page and takes about this long. */
  formatPrompt(job: SentJob, page: { path: string; content: string }, seconds: number): string
}

const defaultOptions: LoadOptions = {
  deliveriesPerSecond: 20,
  jobIntervalMs: 2_000,
  maxActiveJobs: Number.POSITIVE_INFINITY,
  requestTimeoutMs: 5_000,
  formatPrompt: ({ project: { repository } }, { path, content }, seconds) =>
    formatScriptPrompt({ repository: `${repository.owner}/${repository.name}`, seconds, write: { [path]: content } }),
}

export const viewsPerDelivery = 3
const readIntervalMs = 400
const pollJobEveryMs = 1_500
/** Of a turn. Long enough that faults hit runners at work. */
const turnSeconds = 1.5
const hourMs = 3_600_000

interface ApiRequest {
  kind: RequestSample['kind']
  method: 'GET' | 'POST'
  path: string
  project: LoadProject
  idempotencyKey?: string
  body?: unknown
}

interface ApiResponse {
  status: number
  json: unknown
}

export class Load {
  readonly samples: RequestSample[] = []
  readonly deliveries: SentDelivery[] = []
  readonly jobs: SentJob[] = []
  /** Responses that no fault excuses. */
  readonly unexpected: string[] = []
  readonly #projects: readonly LoadProject[]
  readonly #replicas: readonly LoadReplica[]
  readonly #random: () => number
  readonly #options: LoadOptions
  readonly #open = new Set<Promise<void>>()
  #stopping = new AbortController()
  #loops: Promise<void>[] = []
  #ended = new AbortController()

  constructor(
    projects: readonly LoadProject[],
    replicas: readonly LoadReplica[],
    random: () => number,
    options: Partial<LoadOptions> = {},
  ) {
    this.#options = { ...defaultOptions, ...options }
    this.#projects = projects
    this.#replicas = replicas
    this.#random = random
  }

  start(): void {
    this.#stopping = new AbortController()
    this.#loops = [
      this.#repeat(1000 / this.#options.deliveriesPerSecond, () => this.#deliver()),
      this.#repeat(this.#options.jobIntervalMs, async () => {
        const active = this.jobs.filter(({ ended }) => !ended).length
        if (active < this.#options.maxActiveJobs) await this.createJob({})
      }),
      this.#repeat(readIntervalMs, () => this.#readJobs(this.#pick(this.#replicas))),
    ]
  }

  /** Sends nothing new, and waits until everything that was sent is acknowledged, and every job has ended. */
  async stop(withinSeconds: number): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
    const waiting = new AbortController()
    const deadline = sleep(withinSeconds * 1000, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([this.#settle(), deadline])
    waiting.abort()
    this.#ended.abort()
    await this.#settle()
    this.#ended = new AbortController()
  }

  async #settle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Resolves when the job is accepted. It is polled until it ends. */
  async createJob(options: {
    project?: LoadProject
    publish?: SentJob['publish']
    seconds?: number
    mayBeCancelled?: boolean
  }): Promise<SentJob> {
    const number = this.jobs.length + 1
    const project = options.project ?? this.#pick(this.#projects)
    const job: SentJob = {
      project,
      number,
      publish: options.publish ?? (number % 3 === 0 ? 'pull_request' : 'diff'),
      sentAtMs: performance.now(),
      accepted: undefined,
      ended: undefined,
      followUps: 0,
      mayBeCancelled: options.mayBeCancelled ?? false,
      isLost: false,
    }
    this.jobs.push(job)
    const prompt = this.#prompt(job, 1, options.seconds)
    const response = await this.#sendUntilFinal({
      kind: 'create',
      method: 'POST',
      path: `/v2/agent/${project.projectId}/job`,
      project,
      idempotencyKey: `job-${number}`,
      body: { prompt, publish: job.publish },
    })
    if (response?.status === 201) {
      job.accepted = { id: (response.json as JobResponse).id, atMs: performance.now() }
      this.#follow(job)
    } else if (response) this.unexpected.push(`create job: ${response.status} ${JSON.stringify(response.json)}`)
    return job
  }

  /** Many reads at the same time, so that a replica opens all connections of its pool. */
  async readAtOnce(countPerReplica: number): Promise<void> {
    const reads = this.#replicas.flatMap((replica) =>
      Array.from({ length: countPerReplica }, () => this.#readJobs(replica)),
    )
    await Promise.all(reads)
  }

  async sendFollowUp(job: SentJob): Promise<void> {
    job.followUps++
    job.ended = undefined
    const response = await this.#sendUntilFinal({
      kind: 'create',
      method: 'POST',
      path: `${jobPath(job)}/message`,
      project: job.project,
      idempotencyKey: `message-${job.number}-${job.followUps}`,
      body: { prompt: this.#prompt(job, job.followUps + 1) },
    })
    if (response?.status !== 200)
      this.unexpected.push(`follow-up: ${response?.status} ${JSON.stringify(response?.json)}`)
    this.#follow(job)
  }

  async cancel(job: SentJob): Promise<void> {
    job.mayBeCancelled = true
    const response = await this.#sendUntilFinal({
      kind: 'create',
      method: 'POST',
      path: `${jobPath(job)}/cancel`,
      project: job.project,
    })
    if (response?.status !== 200 && response?.status !== 409)
      this.unexpected.push(`cancel: ${response?.status} ${JSON.stringify(response?.json)}`)
  }

  #prompt(job: SentJob, turn: number, seconds = turnSeconds): string {
    const path = `docs/job-${job.number}-${turn}.md`
    const content = `# Job ${job.number}, turn ${turn}\n\nWritten by {runner}.\n`
    return this.#options.formatPrompt(job, { path, content }, seconds)
  }

  async #deliver(): Promise<void> {
    const number = this.deliveries.length + 1
    const project = this.#pick(this.#projects)
    const delivery: SentDelivery = {
      project,
      path: `/delivery/${number}`,
      views: viewsPerDelivery,
      sentAtMs: performance.now(),
      acknowledgedAtMs: undefined,
      attempts: 0,
      isLost: false,
    }
    this.deliveries.push(delivery)
    const views = Array.from({ length: viewsPerDelivery }, () => ({
      path: `${delivery.path}.md`, // which a language model reads, so that the view is reported as AI
      userAgent: 'curl/8.7.1',
      at: new Date(Date.now() - hourMs - Math.floor(this.#random() * 20 * hourMs)).toISOString(),
    }))
    const response = await this.#sendUntilFinal(
      {
        kind: 'views',
        method: 'POST',
        path: `/v1/ingest/${project.projectId}/views`,
        project,
        idempotencyKey: `delivery-${number}`,
        body: { views },
      },
      () => delivery.attempts++,
    )
    if (!response) return
    const counted = (response.json as { counted?: number }).counted
    if (response.status === 200 && counted === viewsPerDelivery) delivery.acknowledgedAtMs = performance.now()
    else this.unexpected.push(`views: ${response.status} ${JSON.stringify(response.json)}`)
  }

  async #readJobs(replica: LoadReplica): Promise<void> {
    const project = this.#pick(this.#projects)
    await this.#sendOnce(
      { kind: 'read', method: 'GET', path: `/v2/agent/${project.projectId}/jobs?limit=1`, project },
      replica,
    )
  }

  /** Polls until the job has ended. A job that does not exist is lost. */
  #follow(job: SentJob): void {
    const following = (async () => {
      while (!this.#ended.signal.aborted) {
        const response = await this.#sendOnce(
          { kind: 'read', method: 'GET', path: jobPath(job), project: job.project },
          this.#pick(this.#replicas),
        )
        if (response?.status === 404) {
          job.isLost = true
          return
        }
        const read = response?.status === 200 ? (response.json as JobResponse) : undefined
        if (read && read.status !== 'active') {
          const { status, outcome, error } = read
          job.ended = { status, outcome, error: error?.code, atMs: performance.now() }
          return
        }
        await sleep(pollJobEveryMs, undefined, { signal: this.#ended.signal }).catch(() => {})
      }
    })()
    this.#track(following)
  }

  /** Until there is a response that is not an outage, on one replica after another. Undefined: the load was stopped. */
  async #sendUntilFinal(request: ApiRequest, onAttempt = () => {}): Promise<ApiResponse | undefined> {
    let index = Math.floor(this.#random() * this.#replicas.length)
    for (let attempt = 1; !this.#ended.signal.aborted; attempt++, index++) {
      const replica = this.#replicas[index % this.#replicas.length]
      if (!replica) throw new Error('there are no replicas')
      onAttempt()
      const response = await this.#sendOnce(request, replica)
      if (response && response.status < 500 && response.status !== 429) return response
      await sleep(Math.min(100 * 2 ** attempt, 2_000) * (0.5 + this.#random()))
    }
    return undefined
  }

  async #sendOnce(
    { kind, method, path, project, idempotencyKey, body }: ApiRequest,
    replica: LoadReplica,
  ): Promise<ApiResponse | undefined> {
    const startedAtMs = performance.now()
    let response: ApiResponse | undefined
    try {
      const received = await fetch(replica.url + path, {
        method,
        headers: {
          authorization: `Bearer ${project.key}`,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.#options.requestTimeoutMs),
      })
      response = { status: received.status, json: await received.json() }
    } catch {
      // no response: the outcome is unknown
    }
    const { status = 0, json } = response ?? {}
    if (status >= 500 && status !== 503) this.unexpected.push(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    const durationMs = performance.now() - startedAtMs
    const ok = status > 0 && status < 500 && status !== 429
    this.samples.push({ kind, replica: replica.name, projectId: project.projectId, startedAtMs, durationMs, ok })
    return response
  }

  /** At fixed times, whether or not earlier ones have ended. */
  async #repeat(everyMs: number, action: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    for (let dueAtMs = performance.now(); !signal.aborted; dueAtMs += everyMs) {
      await sleep(Math.max(0, dueAtMs - performance.now()), undefined, { signal }).catch(() => {})
      if (!signal.aborted) this.#track(action())
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#open.delete(tracked))
    this.#open.add(tracked)
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined) throw new Error('cannot pick from an empty list')
    return item
  }
}

const jobPath = ({ project, accepted }: SentJob) => `/v2/agent/${project.projectId}/job/${accepted?.id}`
