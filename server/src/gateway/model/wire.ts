/**
 * A vendor's way of asking and answering. Requests come from inside a sandbox, where a hostile model may have written them, so
 * they are made anew by one rule: a field that the schema does not name is left out, a kind (of tool, message, content) that it
 * does not name is refused. What would make the vendor fetch, run, keep or look up something is in no schema.
 */
import type { TObject } from 'typebox'
import type { ModelFormat, Usage } from '../../models/model.ts'
import type { Json } from './json.ts'
import type { ModelError } from './model-error.ts'
import type { Fault } from './provider-error.ts'
import type { ServerSentEvent } from './server-sent-events.ts'

/** What the request says whatever its sender wrote. */
export interface Forced {
  providerModel: string
  maxOutputTokens: number
  /** By which the provider finds its cache again. */
  cacheKey: string
}

export interface Rebuilt {
  body: Json
  stream: boolean
  maxOutputTokens: number
}

export interface Wire {
  format: ModelFormat
  /** Below the provider's base URL, and below ours. */
  path: string
  Request: TObject
  /** The least that can be asked: to see whether a model answers at all. */
  smallest: Json
  /** From the known parts of a request that fits `Request`. */
  rebuild(known: Json, forced: Forced): Rebuilt
  /** Null: the provider wants no key. */
  headers(key: string | null): Record<string, string>
  /** Of a whole answer, or of one event of it; of the last event that says something, that counts. */
  usageIn(value: Json): Partial<Usage>
  /** After this event there is none that matters, and all usage is known. */
  isLast(event: ServerSentEvent, value: Json | undefined): boolean
  /** An error in what began as a success. */
  faultIn(value: Json): Fault | undefined
  errorBody(error: ModelError): object
  errorEvent(error: ModelError): ServerSentEvent
}
