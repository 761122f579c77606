/** Jobs of a real agent in a real sandbox, one after another. */
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryingClient } from '../../testing/harness/retrying-client.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { JobResponse } from '../judges/planned-job.ts'
import type { ProofRun } from '../proof.ts'
import type { LongHaulFixture } from './fixture.ts'

const pauseMs = 5_000
const pollMs = 2_000

export class AgentLoad {
  completed = 0
  readonly #problems: string[] = []
  readonly #fixture: LongHaulFixture
  readonly #stopping = new AbortController()
  readonly #ended = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(fixture: LongHaulFixture) {
    this.#fixture = fixture
  }

  start(): void {
    this.#running = this.#createJobs().catch((error: unknown) => void this.#problems.push(String(error)))
  }

  /** The job in progress may still end. */
  async stop(withinSeconds: number): Promise<void> {
    this.#stopping.abort()
    const timer = setTimeout(() => this.#ended.abort(), withinSeconds * 1000)
    await this.#running
    clearTimeout(timer)
  }

  check(run: ProofRun): void {
    const { length } = this.#problems
    run.check(length === 0, `every job of the agent ends as planned: ${length} do not, ${this.#problems[0]}`)
    run.check(this.completed > 0, `the agent completes jobs: ${this.completed}`)
  }

  async #createJobs(): Promise<void> {
    const { vanish, agentProject } = this.#fixture
    const replicas = vanish.replicas.map(({ url }) => ({ url, openWrites: 0 }))
    const client = new RetryingClient(replicas, this.#ended.signal)
    const base = `/v2/agent/${agentProject.projectId}/job`
    for (let number = 1; !this.#stopping.signal.aborted; number++) {
      const body = { prompt: promptOf(number), model: 'agent', publish: 'diff' }
      const idempotencyKey = `agent-${number}`
      const { key } = agentProject
      const created = await client.sendJson({ method: 'POST', path: base, key, body, idempotencyKey })
      const { id } = created.json as JobResponse
      const read = async () =>
        (await client.sendJson({ method: 'GET', path: `${base}/${id}`, key })).json as JobResponse
      let job = await read()
      while (job.status === 'active') {
        await sleep(pollMs, undefined, { signal: this.#ended.signal })
        job = await read()
      }
      if (job.outcome === 'diff') this.completed++
      else this.#problems.push(`${id} is ${job.status} with ${job.outcome} and ${job.error?.code}`)
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }
}

const promptOf = (number: number) =>
  promptWithScript(`Write page ${number}.`, [
    { call: [{ tool: 'bash', arguments: { command: 'ls && git log --oneline' } }] },
    { call: [{ tool: 'write', arguments: { path: `docs/page-${number}.md`, content: `# Page ${number}\n` } }] },
    { say: formatFinalAgentReply(`Page ${number}`, `Adds page ${number}.`) },
  ])
