import type { Fault, Usage } from './script.ts'
import type { WireFormat } from './wire-format.ts'

const maxCalls = 10_000

/** A request to the scripted model, and what became of it. */
export type LoggedModelCall = {
  readonly sequence: number
  readonly at: string
  readonly wire: WireFormat['name']
  /** Without values, because some are secrets. */
  readonly headerNames: string[]
  bodyKeys: string[]
  /** Null if the request was invalid. */
  request: { model: string; stream: boolean; messages: number; toolsOffered: string[] } | null
  /** Null if the request was rejected. Without usage if a fault of the script rejected it. */
  playback: { script: string; step: number; fault: Fault['kind'] | null; usage: Usage | null } | null
  status: number | null
  /** Null while the response is in progress. */
  outcome: ModelCallOutcome | null
}

export type ModelCallOutcome = 'completed' | 'rejected' | 'cut' | 'client_gone'

export class CallLog {
  readonly #calls: LoggedModelCall[] = []
  #sequence = 0

  /** Returns the entry, which the caller completes while it handles the request. */
  add({ wire, headerNames }: Pick<LoggedModelCall, 'wire' | 'headerNames'>): LoggedModelCall {
    this.#sequence += 1
    const call: LoggedModelCall = {
      sequence: this.#sequence,
      at: new Date().toISOString(),
      wire,
      headerNames,
      bodyKeys: [],
      request: null,
      playback: null,
      status: null,
      outcome: null,
    }
    this.#calls.push(call)
    if (this.#calls.length > maxCalls) this.#calls.shift()
    return call
  }

  since(sequence: number): LoggedModelCall[] {
    return this.#calls.filter((call) => call.sequence > sequence)
  }
}
