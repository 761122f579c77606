/** Calls a provider: sends the rebuilt request with the operator's key, and no header of the client. */

import type { FastifyBaseLogger } from 'fastify'
import type { Model } from '../../models/model.ts'
import type { Egress, EgressLimits } from '../../platform/egress/egress.ts'
import { EgressError, type EgressErrorCode } from '../../platform/egress/egress-error.ts'
import { parseJsonObject } from './json.ts'
import { ModelError } from './model-error.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { type ProviderError, parseProviderError, toModelError } from './provider-error.ts'

/** A model may think for minutes before its first token. */
export const providerEgressLimits: EgressLimits = {
  idleTimeoutSeconds: 300,
  deadlineSeconds: 1800,
  maxResponseBytes: 64 * 1024 * 1024,
}
const maxErrorBytes = 64 * 1024
const maxErrorTextCharacters = 500

/** Turns an error that the provider reports into one for the agent. */
export type HandleProviderError = (
  providerError: ProviderError,
  response?: { status: number; headers: Headers },
) => ModelError

/** The agent gets a generic message; the provider's own message goes to the log, for the operator. */
export const createProviderErrorHandler =
  (log: FastifyBaseLogger, model: Pick<Model, 'name'>, key: string | null): HandleProviderError =>
  (providerError, response) => {
    const providerMessage = formatProviderError(providerError, key)
    log.warn({ model: model.name, status: response?.status, providerMessage }, 'model provider reported an error')
    return toModelError(providerError, response?.status, response?.headers.get('retry-after'))
  }

/** For the operator only. */
export function formatProviderError({ type, code, message }: ProviderError, key: string | null): string {
  const text = [type, code, message].filter((part) => part !== '').join(' ')
  return (key === null ? text : text.replaceAll(key, '[redacted]')).slice(0, maxErrorTextCharacters)
}

export interface ProviderCall {
  adapter: ProviderAdapter
  model: Model
  /** Null: the provider needs none. */
  key: string | null
  body: string
  signal: AbortSignal
}

/** Throws a ModelError when the provider rejects the call, and an EgressError when it cannot be reached. */
export async function callProvider(
  egress: Egress,
  { adapter, model, key, body, signal }: ProviderCall,
  handleProviderError: HandleProviderError,
): Promise<Response> {
  const response = await egress.fetch(`${model.baseUrl}${adapter.path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...adapter.headers(key),
    },
    body,
    signal,
    limits: providerEgressLimits,
  })
  if (response.status === 200) return response
  throw handleProviderError(parseProviderError(parseJsonObject(await readErrorText(response)) ?? {}), response)
}

const codesAfterSending: readonly EgressErrorCode[] = ['timeout', 'connection_lost', 'bad_response', 'too_large']

/** Whether the provider may have processed a failed call, and may charge for it. */
export function mayHaveReachedProvider(error: unknown): boolean {
  if (error instanceof ModelError) return false
  return !(error instanceof EgressError) || codesAfterSending.includes(error.code)
}

/** The beginning of the body. Empty if it cannot be read: the status is enough. */
async function readErrorText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      sizeBytes += chunk.byteLength
      if (sizeBytes > maxErrorBytes) break
    }
  } catch {
    return ''
  }
  return Buffer.concat(chunks).toString()
}
