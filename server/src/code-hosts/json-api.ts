/** What the clients of code hosts share: JSON through egress, answers that are checked, failures in words. */
import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'
import type { Egress } from '../platform/egress/egress.ts'
import { CodeHostError, failureOfCall, failureOfStatus, isCodeHostError } from './code-host-error.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type JsonRequest = {
  method: Method
  url: string
  headers: Readonly<Record<string, string>>
  body?: unknown
  signal?: AbortSignal | undefined
}

/** Of texts, as many as `longTextsPerPage`, each of 65,536 characters: a comment that is never read stops all behind it. */
const limits = { silenceSeconds: 20, deadlineSeconds: 30, maxResponseBytes: 12_000_000 }

export const longTextsPerPage = 20

/** Whatever the host answers. */
export async function sendJson(egress: Egress, { method, url, headers, body, signal }: JsonRequest): Promise<Response> {
  try {
    return await egress.fetch(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      limits,
    })
  } catch (error) {
    throw failureOfCall(error)
  }
}

/** `what` names the call, `host` the product. */
export async function readResponse<Schema extends TSchema>(
  response: Response,
  schema: Schema,
  { what, host }: { what: string; host: string },
): Promise<Static<Schema>> {
  const text = await response.text().catch((error: unknown) => {
    throw failureOfCall(error)
  })
  const value = parseJson(text)
  if (Value.Check(schema, value)) return value
  throw new CodeHostError(
    { kind: 'retry', code: 'unexpected_response' },
    `The code host's answer to ${what} is not what ${host} answers. Does the address lead to ${host} itself?`,
  )
}

/** With the host's reason as one short line, and never a secret, should a host repeat it. */
export async function failureIn(response: Response, what: string, ...secrets: string[]): Promise<CodeHostError> {
  return failureOfStatus(response, what, await reasonIn(response, secrets))
}

async function reasonIn(response: Response, secrets: readonly string[]): Promise<string | undefined> {
  const answer = parseJson(await response.text().catch(() => ''))
  if (typeof answer !== 'object' || answer === null || !('message' in answer)) return undefined
  if (typeof answer.message !== 'string') return undefined
  const details = 'errors' in answer && Array.isArray(answer.errors) ? answer.errors.flatMap(wordsOf) : []
  const said = [answer.message, ...details].join(' ')
  return secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), said)
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(0, 200)
}

function wordsOf(detail: unknown): string[] {
  if (typeof detail === 'string') return [detail]
  if (typeof detail !== 'object' || detail === null) return []
  if ('message' in detail && typeof detail.message === 'string') return [detail.message]
  return 'field' in detail && 'code' in detail ? [`${detail.field}: ${detail.code}`] : []
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

export async function unlessMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCodeHostError(error, 'not_found')) return undefined
    throw error
  }
}
