import type { IncomingHttpHeaders } from 'node:http'
import type { Usage } from './script.ts'
import { ProviderError, type WireFormat } from './wire-format.ts'

// Shared by OpenAI's two formats.

export function authenticate(headers: IncomingHttpHeaders): void {
  if (!/^Bearer \S+$/.test(headers.authorization ?? ''))
    throw new ProviderError(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    )
}

export const openaiErrorFormat: Pick<WireFormat, 'statusOf' | 'errorBody'> = {
  statusOf: (error) => (error.status === 529 ? 503 : error.status),
  errorBody: ({ status, message, param, code }) => ({
    error: { message, type: errorTypes[status], param, code: code ?? codes[status] ?? null },
  }),
}

const errorTypes: Record<ProviderError['status'], string> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'requests',
  500: 'server_error',
  529: 'server_error',
}

const codes: Partial<Record<ProviderError['status'], string>> = {
  401: 'invalid_api_key',
  404: 'unknown_url',
  429: 'rate_limit_exceeded',
}

export function throwInvalidRequest(message: string, param: string, code?: string): never {
  throw new ProviderError(400, message, { param, ...(code === undefined ? {} : { code }) })
}

export function throwMissingParameter(param: string): never {
  throwInvalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
}

/** OpenAI's input tokens include those read from and written to the cache. */
export function totalInputTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
}
