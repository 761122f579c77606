/**
 * The API format of a provider. Requests come from a sandbox, where a hostile model may have written them, so each one
 * is rebuilt by one rule: fields that the schema does not contain are dropped, and types of tools, messages and content
 * that it does not contain are rejected. No schema contains anything that would make the provider fetch, run, store or
 * look up something.
 */
import type { TObject } from 'typebox'
import type { ModelFormat, Usage } from '../../models/model.ts'
import type { JsonObject } from './json.ts'
import type { ModelError } from './model-error.ts'
import type { ProviderError } from './provider-error.ts'
import type { ServerSentEvent } from './server-sent-events.ts'

/** Values that replace those of the sender. */
export interface RequestOverrides {
  providerModel: string
  maxOutputTokens: number
  /** The provider's key for its prompt cache. */
  cacheKey: string
}

export interface RebuiltRequest {
  body: JsonObject
  stream: boolean
  maxOutputTokens: number
}

export interface ProviderAdapter {
  format: ModelFormat
  /** Relative to the provider's base URL, and to ours. */
  path: string
  requestSchema: TObject
  /** A minimal request, to test whether a model responds at all. */
  minimalRequest: JsonObject
  /** `knownFields`: the known fields of a request that matches `Request`. */
  rebuild(knownFields: JsonObject, forced: RequestOverrides): RebuiltRequest
  /** `key` is null for a provider that needs none. */
  headers(key: string | null): Record<string, string>
  /** The usage in a whole response or in one event. The last event that contains a value counts. */
  readUsage(value: JsonObject): Partial<Usage>
  /** True for the final relevant event, when all usage is known. */
  isFinalEvent(event: ServerSentEvent, value: JsonObject | undefined): boolean
  /** An error inside a response with a success status. */
  readError(value: JsonObject): ProviderError | undefined
  errorBody(error: ModelError): object
  errorEvent(error: ModelError): ServerSentEvent
}
