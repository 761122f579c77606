import type { IncomingHttpHeaders } from 'node:http'
import type { Conversation } from './conversation.ts'
import type { JsonObject } from './json.ts'
import type { Reply } from './reply.ts'
import type { FaultStatus } from './script.ts'

/** A provider's format of requests and responses. */
export type WireFormat = {
  name: 'anthropic-messages' | 'openai-completions' | 'openai-responses'
  path: string
  requestIdHeader: 'request-id' | 'x-request-id'
  /** Throws a `ProviderError` if the provider would reject the credentials. */
  authenticate: (headers: IncomingHttpHeaders) => void
  /** Throws a `ProviderError` if the provider would reject the request. */
  parseRequest: (body: JsonObject, headers: IncomingHttpHeaders) => ParsedRequest
  statusOf: (error: ProviderError) => number
  errorBody: (error: ProviderError, requestId: string) => object
}

/** A valid request, and functions that format its response. */
export type ParsedRequest = {
  conversation: Conversation
  messageCount: number
  stream: boolean
  /** The server-sent events of a streamed response, in order. */
  events: (reply: Reply) => Iterable<string>
  /** The body of a response that is not streamed. */
  completeBody: (reply: Reply) => object
}

export class ProviderError extends Error {
  readonly status: 400 | 404 | 413 | FaultStatus
  readonly param: string | null
  readonly code: string | null

  constructor(
    status: ProviderError['status'],
    message: string,
    { param, code }: { param?: string; code?: string } = {},
  ) {
    super(message)
    this.status = status
    this.param = param ?? null
    this.code = code ?? null
  }
}

export function sseEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

export function quotedList(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}
