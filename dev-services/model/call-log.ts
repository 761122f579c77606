import type { Fault, Usage } from './script.ts'
import type { Wire } from './wire.ts'

const maxCalls = 10_000

/** One call as it reached the vendor. */
export type Call = {
  readonly sequence: number
  readonly at: string
  readonly wire: Wire['name']
  /** Not the values: some are secrets. */
  readonly headerNames: string[]
  bodyKeys: string[]
  /** Null when the request was refused before it was understood. */
  asked: { model: string; stream: boolean; messages: number; toolsOffered: string[] } | null
  /** Null when the request was refused; without usage when it was the script that refused it. */
  played: { script: string; step: number; fault: Fault['kind'] | null; usage: Usage | null } | null
  status: number | null
  /** Null while it is being answered. */
  outcome: Outcome | null
}

export type Outcome = 'answered' | 'refused' | 'cut' | 'client_gone'

export class CallLog {
  #calls: Call[] = []
  #sequence = 0

  /** For the caller to fill in as it learns more. */
  add({ wire, headerNames }: Pick<Call, 'wire' | 'headerNames'>): Call {
    this.#sequence += 1
    const call: Call = {
      sequence: this.#sequence,
      at: new Date().toISOString(),
      wire,
      headerNames,
      bodyKeys: [],
      asked: null,
      played: null,
      status: null,
      outcome: null,
    }
    this.#calls.push(call)
    if (this.#calls.length > maxCalls) this.#calls.shift()
    return call
  }

  since(sequence: number): Call[] {
    return this.#calls.filter((call) => call.sequence > sequence)
  }

  /** Numbers go on, so a reader that asks for what came since never misses one. */
  clear(): void {
    this.#calls = []
  }
}
