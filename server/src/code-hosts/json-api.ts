/** Shared by the clients of all code hosts: JSON through egress, validated responses, and readable errors. */
import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'
import type { Egress } from '../platform/egress/egress.ts'
import { CodeHostError, errorFromStatus, isCodeHostErrorWithCode, toCodeHostError } from './code-host-error.ts'

export type JsonRequestMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type JsonRequest = {
  method: JsonRequestMethod
  url: string
  headers: Readonly<Record<string, string>>
  body?: unknown
  signal?: AbortSignal | undefined
}

/**
 * The size limit fits `longTextPageSize` texts of 65,536 characters each. A comment that is too large to read would block all
 * comments after it.
 */
const limits = { idleTimeoutSeconds: 20, deadlineSeconds: 30, maxResponseBytes: 12_000_000 }

export const longTextPageSize = 20

/** Returns the response whatever its status. */
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
    throw toCodeHostError(error)
  }
}

/** `what` names the call, `host` the product, for messages. */
export async function readJsonResponse<Schema extends TSchema>(
  response: Response,
  schema: Schema,
  { what, host }: { what: string; host: string },
): Promise<Static<Schema>> {
  const text = await response.text().catch((error: unknown) => {
    throw toCodeHostError(error)
  })
  const value = parseJson(text)
  if (Value.Check(schema, value)) return value
  throw new CodeHostError(
    { kind: 'retry', code: 'unexpected_response' },
    `The response to ${what} is not a ${host} response. Check that the URL is that of ${host} itself.`,
  )
}

/** Includes the host's reason as one short line. Secrets are removed in case the host repeats them. */
export async function readErrorResponse(
  response: Response,
  what: string,
  ...secrets: string[]
): Promise<CodeHostError> {
  return errorFromStatus(response, what, await readReason(response, secrets))
}

async function readReason(response: Response, secrets: readonly string[]): Promise<string | undefined> {
  const body = parseJson(await response.text().catch(() => ''))
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined
  if (typeof body.message !== 'string') return undefined
  const details = 'errors' in body && Array.isArray(body.errors) ? body.errors.flatMap(detailText) : []
  const reason = [body.message, ...details].join(' ')
  return secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), reason)
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(0, 200)
}

function detailText(detail: unknown): string[] {
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

export async function undefinedIfNotFound<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'not_found')) return undefined
    throw error
  }
}
