import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { anthropicMessagesFormat } from './anthropic-messages.ts'
import { CallLog, type LoggedModelCall, type ModelCallOutcome } from './call-log.ts'
import { chooseStep } from './choose-step.ts'
import { FaultCounter } from './fault-counter.ts'
import { readBody, runStreamActions, sendJson } from './http.ts'
import { parseObject } from './json.ts'
import { anthropicModels, openaiModels } from './model-list.ts'
import { openaiCompletionsFormat } from './openai-completions.ts'
import { openaiResponsesFormat } from './openai-responses.ts'
import { replyFor, splitText } from './reply.ts'
import type { FaultStatus } from './script.ts'
import { generateStreamActions } from './stream-actions.ts'
import { ProviderError, type WireFormat } from './wire-format.ts'

/** Anthropic's limit. OpenAI does not publish one. */
const maxRequestBytes = 32 * 1024 * 1024

const faultMessages: Record<FaultStatus, string> = {
  401: 'The key is not valid.',
  429: 'The rate limit is exceeded. Please try again later.',
  500: 'Internal server error',
  529: 'Overloaded',
}

/** Base for parsing paths. */
const origin = 'http://127.0.0.1'

const wires = [anthropicMessagesFormat, openaiCompletionsFormat, openaiResponsesFormat]

/** Simulates model providers: three wire formats, with scripts instead of a model. */
export function createModelServer(): Server {
  const calls = new CallLog()
  const faults = new FaultCounter()

  return createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', origin) ?? new URL(origin)
    const wire = wireFor(request, url.pathname)
    route(request, response, url, wire).catch((error: unknown) => {
      if (error instanceof ProviderError) return sendError(wire, error, response)
      if (!request.errored) console.error(error) // disconnected clients are not logged
      response.destroy()
    })
  })

  async function route(request: IncomingMessage, response: ServerResponse, url: URL, wire: WireFormat): Promise<void> {
    if (request.method === 'POST' && url.pathname === wire.path) return handleCall(wire, request, response)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /v1/models':
        wire.authenticate(request.headers)
        return sendJson(200, wire === anthropicMessagesFormat ? anthropicModels() : openaiModels(), response)
      case 'GET /calls':
        return listCalls(url.searchParams.get('since') ?? '0', response)
      default:
        throw new ProviderError(404, `Invalid URL (${request.method} ${url.pathname})`)
    }
  }

  function listCalls(since: string, response: ServerResponse): void {
    if (/^\d+$/.test(since)) sendJson(200, calls.since(Number(since)), response)
    else sendJson(400, { error: 'since must be the sequence number of a call' }, response)
  }

  async function handleCall(wire: WireFormat, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = calls.add({ wire: wire.name, headerNames: Object.keys(request.headers) })
    try {
      call.outcome = await play(wire, request, response, call)
      call.status = response.statusCode
    } catch (error) {
      call.outcome = error instanceof ProviderError ? 'rejected' : 'client_gone'
      call.status = error instanceof ProviderError ? wire.statusOf(error) : null
      throw error
    }
  }

  async function play(
    wire: WireFormat,
    request: IncomingMessage,
    response: ServerResponse,
    call: LoggedModelCall,
  ): Promise<ModelCallOutcome> {
    const text = await readBody(request, maxRequestBytes)
    wire.authenticate(request.headers) // after reading: closing a connection with unread bytes can lose the response
    if (text === undefined) throw new ProviderError(413, 'Request exceeds the maximum size')
    const body = parseObject(text)
    if (!body) throw new ProviderError(400, 'The request body is not valid JSON')
    call.bodyKeys = Object.keys(body)
    const parsed = wire.parseRequest(body, request.headers)
    const { conversation, messageCount, stream } = parsed
    call.request = {
      model: conversation.model,
      stream,
      messages: messageCount,
      toolsOffered: conversation.toolsOffered,
    }

    const { script, index, step } = chooseStep(conversation)
    const fault = faults.next(step.fault, conversation)
    const reply = replyFor(step, {
      requestBytes: Buffer.byteLength(text),
      createdAtSeconds: Math.floor(Date.now() / 1000),
      newId,
    })
    const isRejected = fault?.kind === 'status'
    call.playback = { script, step: index, fault: fault?.kind ?? null, usage: isRejected ? null : reply.usage }
    if (isRejected) {
      if (fault.retryAfterSeconds !== undefined) response.setHeader('retry-after', fault.retryAfterSeconds)
      throw new ProviderError(fault.status, faultMessages[fault.status])
    }

    response.setHeader(wire.requestIdHeader, newId('req_'))
    if (stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
      return runStreamActions(generateStreamActions(parsed.events(reply), fault), response)
    }
    const completeBody = JSON.stringify(parsed.completeBody(reply))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(completeBody) })
    return runStreamActions(generateStreamActions(splitText(completeBody), fault), response)
  }
}

/** The list of models and unknown paths belong to no wire format. Their format follows from the headers. */
function wireFor(request: IncomingMessage, path: string): WireFormat {
  const isAnthropic = request.headers['anthropic-version'] !== undefined
  return wires.find((wire) => wire.path === path) ?? (isAnthropic ? anthropicMessagesFormat : openaiCompletionsFormat)
}

function sendError(wire: WireFormat, error: ProviderError, response: ServerResponse): void {
  const requestId = newId('req_')
  response.setHeader(wire.requestIdHeader, requestId)
  if (!response.req.complete) response.setHeader('connection', 'close') // the rest of the request is not read
  sendJson(wire.statusOf(error), wire.errorBody(error, requestId), response)
}

/**
 * Letters only: pi searches the text of an error for status codes such as "500" to decide whether to retry, and found
 * one in the ID.
 */
function newId(prefix: string): string {
  return prefix + Array.from(randomBytes(24), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
}
