/**
 * Agents that call the model through the gateways, as a sandbox does, until they are denied. The provider lies about what they use,
 * and responses get lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '../../server/src/platform/ids.ts'
import type { ClaimedTurn } from '../../testing/harness/claimed-turn.ts'
import { promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { Step } from '../../testing/simulators/model/script.ts'

export const maxOutputTokens = 500

/** What the provider reports, or what happens to the call. */
export const callKinds = ['honest', 'less', 'more', 'none', 'rejected', 'cut', 'client_gone'] as const
export type CallKind = (typeof callKinds)[number]

export interface Agent extends ClaimedTurn {
  projectId: Id<'prj'>
}

/** A usage that was reported, and that the agent has seen the end of. */
export interface SeenUsage {
  jobId: Id<'job'>
  inputTokens: number
  /** Different for each call of a job, so that the call can be found. */
  cacheReadTokens: number
  outputTokens: number
}

export interface AgentRecords {
  calls: Map<CallKind, number>
  seen: SeenUsage[]
  denied: number
  lostConnections: number
}

/** Concurrent calls of each job. */
const callersPerJob = 2
/** Calls that a caller attempts after it was denied: others may have settled for less in the meantime. */
const callsAfterDenial = 3
const maxCallsPerJob = 250

/** Learned from a call: the gateway adds the same fields to each request. */
export interface RequestOverhead {
  inputTokens: number
}

export class LyingAgents {
  readonly records: AgentRecords = { calls: new Map(), seen: [], denied: 0, lostConnections: 0 }
  readonly #random: () => number
  readonly #overhead: RequestOverhead

  constructor(random: () => number, overhead: RequestOverhead) {
    this.#random = random
    this.#overhead = overhead
  }

  /** Resolves when all agents are denied. */
  async run(agents: readonly Agent[], gateways: readonly string[]): Promise<void> {
    await Promise.all(agents.map((agent) => this.#runAgent(agent, gateways)))
  }

  async #runAgent(agent: Agent, gateways: readonly string[]): Promise<void> {
    let count = 0
    const call = async () => {
      let remaining = callsAfterDenial
      while (remaining > 0 && count < maxCallsPerJob) {
        count += 1
        const gateway = gateways[Math.floor(this.#random() * gateways.length)] ?? ''
        if ((await this.#call(agent, count, gateway)) === 'denied') {
          remaining -= 1
          await sleep(20)
        }
      }
    }
    await Promise.all(Array.from({ length: callersPerJob }, call))
  }

  async #call(agent: Agent, number: number, gateway: string): Promise<'denied' | 'done'> {
    const kind = callKinds[Math.floor(this.#random() * callKinds.length)] ?? 'honest'
    const { body, usage } = this.#compose(agent, number, kind)
    const client = new AbortController()
    if (kind === 'client_gone') setTimeout(() => client.abort(), this.#random() * 60)
    try {
      const response = await postModelCall(gateway, agent, body, client.signal)
      const text = await response.text()
      if (/out of budget/i.test(text)) {
        this.records.denied += 1
        return 'denied'
      }
      if (response.status === 429) await sleep(100)
      this.records.calls.set(kind, (this.records.calls.get(kind) ?? 0) + 1)
      if (usage && text.endsWith('data: [DONE]\n\n')) this.records.seen.push({ jobId: agent.jobId, ...usage })
    } catch {
      if (client.signal.aborted || kind === 'cut') this.records.calls.set(kind, (this.records.calls.get(kind) ?? 0) + 1)
      else {
        this.records.lostConnections += 1 // the gateway was killed, or has not started again yet
        await sleep(100)
      }
    }
    return 'done'
  }

  #compose({ jobId }: Agent, number: number, kind: CallKind) {
    const compose = (step: Step) => composeBody(`Call ${number} of ${jobId}.`, step)
    const report = (inputTokens: number, outputTokens: number) => {
      const usage = { inputTokens, cacheReadTokens: number, outputTokens }
      return { body: compose({ say: 'Yes.', usage }), usage }
    }
    switch (kind) {
      case 'honest':
        return report(300, 40)
      case 'less':
        return report(0, 1)
      case 'more': {
        // The length of the numbers is part of what is reserved, so the first guess determines the second.
        const guess = report(1_000, maxOutputTokens + 2)
        const reservedInput = Buffer.byteLength(guess.body) + this.#overhead.inputTokens
        return report(Math.max(1_000, reservedInput - number + 3), maxOutputTokens + 2)
      }
      case 'none':
        return { body: compose({ say: 'Yes.', withoutUsage: true }), usage: undefined }
      case 'rejected':
        return { body: compose({ say: 'Yes.', fault: { kind: 'status', status: 500 } }), usage: undefined }
      case 'cut':
        return { body: compose({ say: 'Yes.', fault: { kind: 'cut', afterChunks: 1 } }), usage: undefined }
      case 'client_gone':
        return { body: compose({ say: 'Yes.', fault: { kind: 'drip', milliseconds: 30 } }), usage: undefined }
    }
  }
}

const composeBody = (instruction: string, step: Step) =>
  JSON.stringify({
    model: 'model',
    stream: true,
    messages: [{ role: 'user', content: promptWithScript(instruction, [step]) }],
  })

const postModelCall = (gateway: string, { attemptToken }: Agent, body: string, signal?: AbortSignal) =>
  fetch(`${gateway}/model/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${attemptToken}` },
    body,
    ...(signal && { signal }),
  })

/** A call that is cut off counts its whole input, so it shows what the gateway adds to a request. */
export async function measureOverhead(
  gateway: string,
  agent: Agent,
  readInputTokens: () => Promise<number>,
): Promise<RequestOverhead> {
  const body = composeBody('Measure.', { say: 'Yes.', fault: { kind: 'cut', afterChunks: 1 } })
  await postModelCall(gateway, agent, body)
    .then((response) => response.text())
    .catch(() => undefined)
  return { inputTokens: (await readInputTokens()) - Buffer.byteLength(body) }
}
