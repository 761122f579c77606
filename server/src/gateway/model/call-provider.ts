/** One call of a provider: the rebuilt request goes out with the operator's key and nothing of the client's. */

import type { FastifyBaseLogger } from 'fastify'
import type { Model } from '../../models/model.ts'
import type { CallLimits, Egress } from '../../platform/egress/egress.ts'
import { EgressError, type EgressErrorCode } from '../../platform/egress/egress-error.ts'
import { parseObject } from './json.ts'
import { ModelError } from './model-error.ts'
import { asModelError, type Fault, readFault } from './provider-error.ts'
import type { Wire } from './wire.ts'

/** A model may think for minutes before its first word. */
export const providerLimits: CallLimits = {
  silenceSeconds: 300,
  deadlineSeconds: 1800,
  maxResponseBytes: 64 * 1024 * 1024,
}
const maxErrorBytes = 64 * 1024
const maxSearchTextCharacters = 500

/** What becomes of an error that the provider reports. */
export type ExplainFault = (fault: Fault, response?: { status: number; headers: Headers }) => ModelError

/** Told to the engine in our words, and to the operator in the provider's. */
export const createExplainFault =
  (log: FastifyBaseLogger, model: Pick<Model, 'name'>, key: string | null): ExplainFault =>
  (fault, response) => {
    const said = wordsOf(fault, key)
    log.warn({ model: model.name, status: response?.status, said }, "a model's provider reported an error")
    return asModelError(fault, response?.status, response?.headers.get('retry-after'))
  }

/** For the operator alone. */
export function wordsOf({ type, code, message }: Fault, key: string | null): string {
  const said = [type, code, message].filter((word) => word !== '').join(' ')
  return (key === null ? said : said.replaceAll(key, '[struck out]')).slice(0, maxSearchTextCharacters)
}

export interface ProviderCall {
  wire: Wire
  model: Model
  /** Null: the provider wants none. */
  key: string | null
  body: string
  signal: AbortSignal
}

/** Throws a ModelError when the provider does not take the call, an EgressError when it cannot be asked. */
export async function callProvider(
  egress: Egress,
  { wire, model, key, body, signal }: ProviderCall,
  explainFault: ExplainFault,
): Promise<Response> {
  const response = await egress.fetch(`${model.baseUrl}${wire.path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...wire.headers(key),
    },
    body,
    signal,
    limits: providerLimits,
  })
  if (response.status === 200) return response
  throw explainFault(readFault(parseObject(await beginningOf(response)) ?? {}), response)
}

const afterSending: readonly EgressErrorCode[] = ['timeout', 'connection_lost', 'bad_response', 'too_large']

/** Whether the provider may have worked on a call that failed, and be paid for it. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof ModelError) return false
  return !(error instanceof EgressError) || afterSending.includes(error.code)
}

/** Empty where it cannot be read: the status says enough. */
async function beginningOf(response: Response): Promise<string> {
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
