/**
 * Everything that the noisy project does in a noisy phase, all at once: its code host trickles, one of its prompts kills runners,
 * its agents report too much, its analytics queries are slow, and anyone on the internet sends beacons with its site key.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import type { NoisyNeighborFixture } from './fixture.ts'
import type { NoiseCommand, NoiseCounts, NoiseTarget } from './noise-process.ts'
import type { NoisyScript } from './runner-process.ts'

export interface NoiseSize {
  /** Results to publish to the trickling code host, in each noisy phase. */
  publishingJobs: number
  /** Turns that report events, in each noisy phase, and for how long each one does. */
  talkativeJobs: number
  talkativeSeconds: number
}

export interface NoisyJob {
  purpose: 'publish' | 'poison' | 'talk'
  id: string
}

export const noiseKinds = ['code host', 'poison', 'events', 'queries', 'beacons'] as const
export type NoiseKind = (typeof noiseKinds)[number]

export const beaconsPerSecond = 1_000
const concurrentQueries = 8
/** Of almost a megabyte each. The limit of a turn is 20. */
const uploadsPerTurn = 21
const trickleBytesPerSecond = 100

export class NoisyProject {
  readonly jobs: NoisyJob[] = []
  readonly counts: NoiseCounts[] = []
  readonly process: ChildProcess
  rejectedJobs = 0
  readonly #fixture: NoisyNeighborFixture
  readonly #size: NoiseSize
  #creating: Promise<void> = Promise.resolve()

  constructor(fixture: NoisyNeighborFixture, size: NoiseSize) {
    this.#fixture = fixture
    this.#size = size
    this.process = fork(join(import.meta.dirname, 'noise-process.ts'))
    fixture.run.cleanUp(async () => this.process.disconnect())
  }

  /** All kinds at once, unless only some are to be measured. */
  async start(kinds: readonly NoiseKind[] = noiseKinds): Promise<void> {
    const { api, noisy, codeHost } = this.#fixture
    if (kinds.includes('code host')) await codeHost.setFault({ kind: 'trickle', bytesPerSecond: trickleBytesPerSecond })
    const target: NoiseTarget = {
      apiUrl: api.url,
      projectId: noisy.projectId,
      key: noisy.key,
      siteKey: noisy.siteKey,
      perSecond: beaconsPerSecond,
      concurrency: concurrentQueries,
      streamsPerJob: 2,
    }
    const sources = { beacons: kinds.includes('beacons'), queries: kinds.includes('queries') }
    this.#command({ kind: 'start', target, sources })
    this.#creating = this.#createJobs(kinds)
  }

  /** Everything that is in progress continues, but the code host is as fast as that of the others. */
  async stop(): Promise<void> {
    await this.#creating
    const counts = once(this.process, 'message') as Promise<[NoiseCounts]>
    this.#command({ kind: 'stop' })
    this.counts.push((await counts)[0])
    await this.#fixture.codeHost.setFault({ kind: 'none' })
  }

  /** Until the noisy project's own jobs have ended. Returns how many have not. */
  async waitForJobs(withinSeconds: number): Promise<number> {
    const untilMs = performance.now() + withinSeconds * 1000
    for (;;) {
      const active = (await this.readJobs()).filter(({ status }) => status === 'active').length
      if (active === 0 || performance.now() > untilMs) return active
      await sleep(500)
    }
  }

  async readJobs(): Promise<{ purpose: NoisyJob['purpose']; status: string; error: string | undefined }[]> {
    const { rows } = await this.#fixture.colophon.pool.query<{ id: string; status: string; error: string | null }>(
      `SELECT job.id, job.status, turn.error_code AS error FROM job JOIN turn ON turn.job_id = job.id AND turn.number = 1
       WHERE job.project_id = $1`,
      [this.#fixture.noisy.projectId],
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return this.jobs.map(({ id, purpose }) => {
      const row = byId.get(id)
      return { purpose, status: row?.status ?? 'missing', error: row?.error ?? undefined }
    })
  }

  /** The first ones fill its share of the publish slots, so that the others wait for it. */
  async #createJobs(kinds: readonly NoiseKind[]): Promise<void> {
    const { publishingJobs, talkativeJobs, talkativeSeconds } = this.#size
    for (let number = 0; kinds.includes('code host') && number < publishingJobs; number++)
      await this.#createJob('publish', {})
    if (kinds.includes('poison')) await this.#createJob('poison', { isPoison: true })
    for (let number = 0; kinds.includes('events') && number < talkativeJobs; number++) {
      const events = { uploads: uploadsPerTurn, seconds: talkativeSeconds }
      const jobId = await this.#createJob('talk', { events })
      if (jobId !== undefined) this.#command({ kind: 'follow', jobId })
    }
  }

  async #createJob(purpose: NoisyJob['purpose'], script: Partial<NoisyScript>): Promise<string | undefined> {
    const { api, noisy } = this.#fixture
    const repository = `${noisy.repository.owner}/${noisy.repository.name}`
    const write = { [`docs/noise-${this.jobs.length}.md`]: `# Noise ${this.jobs.length}\n` }
    const prompt: NoisyScript = { repository, write, ...script }
    const { status, text } = await sendHttpRequest({
      method: 'POST',
      url: `${api.url}/v2/agent/${noisy.projectId}/job`,
      headers: [...formatBearerHeader(noisy.key), 'content-type', 'application/json'],
      body: JSON.stringify({
        prompt: JSON.stringify(prompt),
        publish: purpose === 'publish' ? 'pull_request' : 'diff',
      }),
    })
    if (status !== 201) {
      this.rejectedJobs++
      return undefined
    }
    const { id } = JSON.parse(text) as { id: string }
    this.jobs.push({ purpose, id })
    return id
  }

  #command(command: NoiseCommand): void {
    this.process.send(command)
  }
}
