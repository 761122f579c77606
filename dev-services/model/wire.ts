import type { IncomingHttpHeaders } from 'node:http'
import type { Conversation } from './conversation.ts'
import type { JsonObject } from './json.ts'
import type { Reply } from './reply.ts'
import type { FaultStatus } from './script.ts'

/** One vendor's way of asking and answering. */
export type Wire = {
  name: 'anthropic-messages' | 'openai-completions' | 'openai-responses'
  path: string
  requestIdHeader: 'request-id' | 'x-request-id'
  /** Throws a `VendorError` when the vendor would not let the caller in. */
  admit: (headers: IncomingHttpHeaders) => void
  /** Throws a `VendorError` when the vendor would not take the request. */
  read: (body: JsonObject, headers: IncomingHttpHeaders) => Asked
  statusOf: (error: VendorError) => number
  errorBody: (error: VendorError, requestId: string) => object
}

/** A request that was understood, and how to answer just that one. */
export type Asked = {
  conversation: Conversation
  messageCount: number
  stream: boolean
  /** The server-sent events of the answer, in order. */
  events: (reply: Reply) => Iterable<string>
  /** The answer in one piece. */
  whole: (reply: Reply) => object
}

export class VendorError extends Error {
  readonly status: 400 | 404 | 413 | FaultStatus
  readonly param: string | null
  readonly code: string | null

  constructor(status: VendorError['status'], message: string, { param, code }: { param?: string; code?: string } = {}) {
    super(message)
    this.status = status
    this.param = param ?? null
    this.code = code ?? null
  }
}

export function sseEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

export function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}
