/**
 * The load of the healthy projects: deliveries of views, beacons, jobs and reads, at fixed times, whether or not earlier requests
 * have ended. It is the same in every phase. Remembers what was acknowledged, for the judge.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, type HttpResponse, sendHttpRequest } from '../../testing/harness/http-call.ts'
import { formatScriptPrompt } from '../../testing/harness/scripted-work.ts'
import type { LoadedProject } from './fixture.ts'
import type { Phase, RequestKind } from './samples.ts'

export interface SentViews {
  project: LoadedProject
  path: string
  views: number
  isAcknowledged: boolean
}

export interface SentJob {
  project: LoadedProject
  publish: 'pull_request' | 'diff'
  phase: Phase | undefined
  id: string | undefined
}

export interface LoadRates {
  perSecond: Record<RequestKind, number>
  /** Of the agent. */
  turnSeconds: number
}

interface PlannedRequest {
  method: 'GET' | 'POST'
  path: string
  headers: string[]
  body?: unknown
}

const viewsPerDelivery = 3
const everyNthJobIsPublished = 4
const browserUserAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
const hourMs = 3_600_000

export class HealthyLoad {
  readonly sentViews: SentViews[] = []
  readonly jobs: SentJob[] = []
  /** Healthy projects are far below every limit, so that no response but the expected one is excused. */
  readonly failures: string[] = []
  readonly #apiUrl: string
  readonly #projects: readonly LoadedProject[]
  readonly #rates: LoadRates
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 500 })
  readonly #stopping = new AbortController()
  readonly #open = new Set<Promise<void>>()
  readonly #loops: Promise<void>[] = []
  #phase: Phase | undefined

  constructor(apiUrl: string, projects: readonly LoadedProject[], rates: LoadRates) {
    this.#apiUrl = apiUrl
    this.#projects = projects
    this.#rates = rates
  }

  start(): void {
    const { perSecond } = this.#rates
    this.#loops.push(
      this.#repeat(perSecond.views, (number) => this.#deliverViews(number)),
      this.#repeat(perSecond.beacon, (number) => this.#sendBeacon(number)),
      this.#repeat(perSecond['create job'], (number) => this.#createJob(number)),
      this.#repeat(perSecond['list jobs'], (number) => this.#listJobs(number)),
      this.#repeat(perSecond['read views'], (number) => this.#readViews(number)),
    )
  }

  /** What is sent from now on belongs to a phase, for this long. */
  async measure(isNoisy: boolean, seconds: number): Promise<Phase> {
    const phase: Phase = { isNoisy, samples: [] }
    this.#phase = phase
    await sleep(seconds * 1000)
    this.#phase = undefined
    return phase
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
    await Promise.all(this.#open)
    this.#agent.destroy()
  }

  /** The projects one after another, so that all have the same share. */
  #projectOf(number: number): LoadedProject {
    const project = this.#projects[number % this.#projects.length]
    if (!project) throw new Error('there are no projects')
    return project
  }

  async #deliverViews(number: number): Promise<void> {
    const project = this.#projectOf(number)
    const sent = { project, path: `/delivery/${number}`, views: viewsPerDelivery, isAcknowledged: false }
    this.sentViews.push(sent)
    const views = Array.from({ length: viewsPerDelivery }, () => ({
      path: `${sent.path}.md`, // which a language model reads, so that the view is reported as AI
      userAgent: 'curl/8.7.1',
      at: new Date(Date.now() - hourMs).toISOString(),
    }))
    const response = await this.#send('views', 200, {
      method: 'POST',
      path: `/v1/ingest/${project.projectId}/views`,
      headers: [...formatBearerHeader(project.key), 'idempotency-key', `delivery-${number}`],
      body: { views },
    })
    if (response) sent.isAcknowledged = true
  }

  async #sendBeacon(number: number): Promise<void> {
    const project = this.#projectOf(number)
    const sent = { project, path: `/beacon/${number}`, views: 1, isAcknowledged: false }
    this.sentViews.push(sent)
    const response = await this.#send('beacon', 204, {
      method: 'POST',
      path: '/v1/collect',
      headers: ['user-agent', browserUserAgent, 'origin', 'https://docs.example.com'],
      body: { key: project.siteKey, id: `beacon-${number}`, path: sent.path },
    })
    if (response) sent.isAcknowledged = true
  }

  async #createJob(number: number): Promise<void> {
    const project = this.#projectOf(number)
    const publish = number % everyNthJobIsPublished === 0 ? 'pull_request' : 'diff'
    const job: SentJob = { project, publish, phase: this.#phase, id: undefined }
    this.jobs.push(job)
    const prompt = formatScriptPrompt({
      repository: `${project.repository.owner}/${project.repository.name}`,
      seconds: this.#rates.turnSeconds,
      write: { [`docs/job-${number}.md`]: `# Job ${number}\n` },
    })
    const response = await this.#send('create job', 201, {
      method: 'POST',
      path: `/v2/agent/${project.projectId}/job`,
      headers: [...formatBearerHeader(project.key), 'idempotency-key', `job-${number}`],
      body: { prompt, publish },
    })
    if (response) job.id = (JSON.parse(response.text) as { id: string }).id
  }

  async #listJobs(number: number): Promise<void> {
    const { projectId, key } = this.#projectOf(number)
    const path = `/v2/agent/${projectId}/jobs?limit=10`
    await this.#send('list jobs', 200, { method: 'GET', path, headers: formatBearerHeader(key) })
  }

  async #readViews(number: number): Promise<void> {
    const { projectId, key } = this.#projectOf(number)
    const path = `/v1/analytics/${projectId}/views?limit=50`
    await this.#send('read views', 200, { method: 'GET', path, headers: formatBearerHeader(key) })
  }

  /** Undefined: the response is not the expected one. */
  async #send(kind: RequestKind, expectedStatus: number, request: PlannedRequest): Promise<HttpResponse | undefined> {
    const { method, path, headers, body } = request
    const phase = this.#phase
    const startedAtMs = performance.now()
    const response = await sendHttpRequest({
      method,
      url: this.#apiUrl + path,
      headers: body === undefined ? headers : [...headers, 'content-type', 'application/json'],
      agent: this.#agent,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => ({ status: 0, headers: {}, text: String(error) }))
    phase?.samples.push({ kind, durationMs: performance.now() - startedAtMs })
    if (response.status === expectedStatus) return response
    this.failures.push(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`)
    return undefined
  }

  async #repeat(perSecond: number, action: (number: number) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    const startedAtMs = performance.now()
    for (let number = 0; !signal.aborted; number++) {
      const dueAtMs = startedAtMs + (number * 1000) / perSecond
      await sleep(Math.max(0, dueAtMs - performance.now()), undefined, { signal }).catch(() => {})
      if (!signal.aborted) this.#track(action(number))
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#open.delete(tracked))
    this.#open.add(tracked)
  }
}
