/** Jobs, follow-up messages and reads through the API, at fixed times, whether or not earlier ones have ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import { formatScriptPrompt } from '../../testing/harness/scripted-work.ts'
import type { LoadProject } from './fixture.ts'
import type { Plan } from './plan.ts'
import { followUpEvery } from './prefill-jobs.ts'

const readEveryMs = 1_000
const pollJobEveryMs = 500
const dayMs = 24 * 3600 * 1000

/** The creation of a job or message, a read of a report or a list, and a turn from its creation to its end. */
export type TimedCall = 'create' | 'read' | 'job'

interface LoadJob {
  project: LoadProject
  number: number
  id: string
  turns: number
}

export class ApiLoad {
  jobsCreated = 0
  messagesSent = 0
  /** Each time that a job became inactive, once per turn. */
  turnsEnded = 0
  reads = 0
  readonly failures: string[] = []
  readonly #apiUrl: string
  readonly #plan: Plan
  readonly #projects: readonly LoadProject[]
  readonly #random: () => number
  readonly #stopping = new AbortController()
  readonly #giveUp = new AbortController()
  readonly #open = new Set<Promise<void>>()
  #loops: Promise<void>[] = []
  #durationsMs: Record<TimedCall, number[]> = { create: [], read: [], job: [] }

  constructor(apiUrl: string, plan: Plan, projects: readonly LoadProject[], random: () => number) {
    this.#apiUrl = apiUrl
    this.#plan = plan
    this.#projects = projects
    this.#random = random
  }

  start(): void {
    this.#loops = [
      this.#repeat(60_000 / this.#plan.jobsPerMinute, () => this.#runJob()),
      this.#repeat(readEveryMs, () => this.#read()),
    ]
  }

  /** Creates nothing new, and waits until every job has ended. */
  async stop(withinSeconds: number): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
    const timeout = setTimeout(() => this.#giveUp.abort(), withinSeconds * 1000)
    while (this.#open.size > 0) await Promise.all(this.#open)
    clearTimeout(timeout)
  }

  /** Since the last call, in milliseconds. */
  takeDurations(): Record<TimedCall, number[]> {
    const taken = this.#durationsMs
    this.#durationsMs = { create: [], read: [], job: [] }
    return taken
  }

  async #runJob(): Promise<void> {
    const number = this.jobsCreated++
    const project = this.#pick()
    const publish = number % 2 === 0 ? 'pull_request' : 'diff'
    const job = { project, number, id: '', turns: 1 }
    const path = `/v2/agent/${project.projectId}/job`
    const created = await this.#post('create', path, { prompt: promptFor(job), publish }, project, `job-${number}`)
    if (!created) return
    await this.#follow({ ...job, id: created.id })
    if (number % followUpEvery !== 0) return
    this.messagesSent++
    const body = { prompt: promptFor({ ...job, turns: 2 }) }
    const sent = await this.#post('create', `${path}/${created.id}/message`, body, project, `message-${number}`)
    if (sent) await this.#follow({ ...job, id: created.id, turns: 2 })
  }

  /** Polls until the job has ended. */
  async #follow({ project, id, number, turns }: LoadJob): Promise<void> {
    const startedAtMs = performance.now()
    while (!this.#giveUp.signal.aborted) {
      await sleep(pollJobEveryMs)
      const job = await this.#get(undefined, `/v2/agent/${project.projectId}/job/${id}`, project)
      const { status, outcome, error } = (job ?? { status: 'active' }) as {
        status: string
        outcome?: string
        error?: unknown
      }
      if (status === 'active') continue
      this.turnsEnded++
      this.#durationsMs.job.push(performance.now() - startedAtMs)
      const expected = number % 2 === 0 ? 'pull_request' : 'diff'
      if (status !== 'completed' || outcome !== expected)
        this.failures.push(`job ${number}, turn ${turns}: ${status} ${outcome} ${JSON.stringify(error)}`)
      return
    }
    this.failures.push(`job ${number}, turn ${turns} did not end`)
  }

  /** What the dashboard reads: jobs, and reports on the last week or day. */
  async #read(): Promise<void> {
    const project = this.#pick()
    const { projectId } = project
    const to = new Date()
    const range = (days: number) =>
      `dateFrom=${new Date(to.getTime() - days * dayMs).toISOString()}&dateTo=${to.toISOString()}`
    const paths = [
      `/v1/analytics/${projectId}/views?${range(7)}`,
      `/v1/analytics/${projectId}/views/timeseries?${range(7)}&interval=hour`,
      `/v1/analytics/${projectId}/clients?${range(1)}`,
      `/v1/analytics/${projectId}/sources`,
      `/v2/agent/${projectId}/jobs?limit=20`,
    ]
    await this.#get('read', paths[this.reads++ % paths.length] ?? '', project)
  }

  async #post(call: TimedCall, path: string, body: object, project: LoadProject, idempotencyKey: string) {
    const headers = ['content-type', 'application/json', 'idempotency-key', idempotencyKey]
    return (await this.#send(call, { method: 'POST', path, headers, body: JSON.stringify(body) }, project)) as
      | { id: string }
      | undefined
  }

  #get(call: TimedCall | undefined, path: string, project: LoadProject): Promise<unknown> {
    return this.#send(call, { method: 'GET', path, headers: [] }, project)
  }

  /** Undefined: the request failed, which is recorded. */
  async #send(
    call: TimedCall | undefined,
    { method, path, headers, body }: { method: string; path: string; headers: string[]; body?: string },
    { key }: LoadProject,
  ): Promise<unknown> {
    const startedAtMs = performance.now()
    const response = await sendHttpRequest({
      method,
      url: this.#apiUrl + path,
      headers: [...formatBearerHeader(key), ...headers],
      ...(body !== undefined && { body }),
    }).catch((error: unknown) => ({ status: 0, text: String(error) }))
    if (call) this.#durationsMs[call].push(performance.now() - startedAtMs)
    if (response.status === 200 || response.status === 201) return JSON.parse(response.text) as unknown
    this.failures.push(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`)
    return undefined
  }

  async #repeat(everyMs: number, action: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    for (let dueAtMs = performance.now(); !signal.aborted; dueAtMs += everyMs) {
      await sleep(Math.max(0, dueAtMs - performance.now()), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const work = action().finally(() => this.#open.delete(work))
      this.#open.add(work)
    }
  }

  #pick(): LoadProject {
    const project = this.#projects[Math.floor(this.#random() * this.#projects.length)]
    if (!project) throw new Error('there are no projects')
    return project
  }
}

const promptFor = ({ project, number, turns }: Omit<LoadJob, 'id'>): string =>
  formatScriptPrompt({
    repository: project.repository,
    write: { [`docs/job-${number}.md`]: `# Page of job ${number}\n\nTurn ${turns}, by {runner}.\n` },
  })
