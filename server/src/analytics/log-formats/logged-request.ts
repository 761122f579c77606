/** What the readers of all log formats return. None of them returns an IP address. */
import type { ObservedRequest } from '../collect/classify-requests.ts'

export interface LoggedRequest extends ObservedRequest {
  at: Date
  /** Lower case, without the port. Undefined if the format has none. */
  host: string | undefined
  /** The vendor's ID of the request, which stays the same when the line is delivered again. Undefined if the format has none. */
  requestId: string | undefined
}

/** `ignored`: the line belongs there, but no visitor has sent a request. Undefined: the line is not in this format. */
export type ParsedLine = LoggedRequest | 'ignored' | undefined

export type JsonEntry = Readonly<Record<string, unknown>>
export type ReadJsonEntry = (entry: JsonEntry) => ParsedLine
