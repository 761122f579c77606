import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { anthropicMessages } from './anthropic-messages.ts'
import { type Call, CallLog, type Outcome } from './call-log.ts'
import { chooseStep } from './choose-step.ts'
import { FaultCount } from './fault-count.ts'
import { perform, readBody, sendJson } from './http.ts'
import { parseObject } from './json.ts'
import { anthropicModels, openaiModels } from './model-list.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openaiResponses } from './openai-responses.ts'
import { playback } from './playback.ts'
import { piecesOf, replyFor } from './reply.ts'
import type { FaultStatus } from './script.ts'
import { VendorError, type Wire } from './wire.ts'

/** Anthropic's limit. OpenAI does not publish one. */
const largestRequestBytes = 32 * 1024 * 1024

const faultMessages: Record<FaultStatus, string> = {
  401: 'The key is not valid.',
  429: 'The rate limit is exceeded. Please try again later.',
  500: 'Internal server error',
  529: 'Overloaded',
}

/** Only to read paths against. */
const origin = 'http://127.0.0.1'

const wires = [anthropicMessages, openaiCompletions, openaiResponses]

/** Stands in for the model's vendor: three wire formats, and scripts instead of a model. */
export function createModelServer(): Server {
  const calls = new CallLog()
  const faults = new FaultCount()

  return createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', origin) ?? new URL(origin)
    const wire = wireFor(request, url.pathname)
    route(request, response, url, wire).catch((error: unknown) => {
      if (error instanceof VendorError) return sendError(wire, error, response)
      if (!request.errored) console.error(error) // a client that went away is no news
      response.destroy()
    })
  })

  async function route(request: IncomingMessage, response: ServerResponse, url: URL, wire: Wire): Promise<void> {
    if (request.method === 'POST' && url.pathname === wire.path) return answer(wire, request, response)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /v1/models':
        wire.admit(request.headers)
        return sendJson(200, wire === anthropicMessages ? anthropicModels() : openaiModels(), response)
      case 'GET /calls':
        return listCalls(url.searchParams.get('since') ?? '0', response)
      case 'DELETE /calls':
        calls.clear()
        return sendJson(200, [], response)
      default:
        throw new VendorError(404, `Invalid URL (${request.method} ${url.pathname})`)
    }
  }

  function listCalls(since: string, response: ServerResponse): void {
    if (/^\d+$/.test(since)) sendJson(200, calls.since(Number(since)), response)
    else sendJson(400, { error: 'since is the sequence number of the last call that was seen' }, response)
  }

  async function answer(wire: Wire, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = calls.add({ wire: wire.name, headerNames: Object.keys(request.headers) })
    try {
      call.outcome = await play(wire, request, response, call)
      call.status = response.statusCode
    } catch (error) {
      call.outcome = error instanceof VendorError ? 'refused' : 'client_gone'
      call.status = error instanceof VendorError ? wire.statusOf(error) : null
      throw error
    }
  }

  async function play(wire: Wire, request: IncomingMessage, response: ServerResponse, call: Call): Promise<Outcome> {
    const text = await readBody(request, largestRequestBytes)
    wire.admit(request.headers) // not before: a connection closed on unread bytes can take the answer down with it
    if (text === undefined) throw new VendorError(413, 'Request exceeds the maximum size')
    const body = parseObject(text)
    if (!body) throw new VendorError(400, 'The request body is not valid JSON')
    call.bodyKeys = Object.keys(body)
    const asked = wire.read(body, request.headers)
    const { conversation, messageCount, stream } = asked
    call.asked = { model: conversation.model, stream, messages: messageCount, toolsOffered: conversation.toolsOffered }

    const { script, index, step } = chooseStep(conversation)
    const fault = faults.strike(step.fault, conversation)
    const reply = replyFor(step, {
      requestBytes: Buffer.byteLength(text),
      createdAtSeconds: Math.floor(Date.now() / 1000),
      newId,
    })
    const isRefused = fault?.kind === 'status'
    call.played = { script, step: index, fault: fault?.kind ?? null, usage: isRefused ? null : reply.usage }
    if (isRefused) {
      if (fault.retryAfterSeconds !== undefined) response.setHeader('retry-after', fault.retryAfterSeconds)
      throw new VendorError(fault.status, faultMessages[fault.status])
    }

    response.setHeader(wire.requestIdHeader, newId('req_'))
    if (stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
      return perform(playback(asked.events(reply), fault), response)
    }
    const whole = JSON.stringify(asked.whole(reply))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) })
    return perform(playback(piecesOf(whole), fault), response)
  }
}

/** Only the models and what does not exist are asked for under a path that is no vendor's own. */
function wireFor(request: IncomingMessage, path: string): Wire {
  const isAnthropic = request.headers['anthropic-version'] !== undefined
  return wires.find((wire) => wire.path === path) ?? (isAnthropic ? anthropicMessages : openaiCompletions)
}

function sendError(wire: Wire, error: VendorError, response: ServerResponse): void {
  const requestId = newId('req_')
  response.setHeader(wire.requestIdHeader, requestId)
  if (!response.req.complete) response.setHeader('connection', 'close') // the rest of it is not going to be read
  sendJson(wire.statusOf(error), wire.errorBody(error, requestId), response)
}

/** Letters only: pi looks for "500" and the like in an error's text to see whether to retry, and found it in the id. */
function newId(prefix: string): string {
  return prefix + Array.from(randomBytes(24), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
}
