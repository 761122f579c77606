/**
 * The model, for the agent in its sandbox: it speaks to us as to its vendor, with the token of its try at a turn. Who it really
 * speaks to, under which name and with which key, is not its to say or to know.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../../jobs/attempt-store.ts'
import type { Budget, BudgetDefaults } from '../../models/budget.ts'
import type { ModelCallStore, Reservation, Reserved } from '../../models/call-store.ts'
import { type ModelStore, openModelKey, type StoredModel } from '../../models/model-store.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import type { Opener } from '../../platform/sealed-secrets/sealed-secret.ts'
import { BodyBudget } from '../body-budget.ts'
import { CallsUnderWay } from '../calls-under-way.ts'
import { liveAttempt } from '../live-attempt.ts'
import { respondWithError } from './answer-error.ts'
import { callProvider, createExplainFault, mayHaveArrived, providerLimits } from './call-provider.ts'
import type { Json } from './json.ts'
import { knownParts } from './known-parts.ts'
import { Meter } from './meter.ts'
import { ModelError } from './model-error.ts'
import { parseConversation } from './parse-conversation.ts'
import { relayStreamedResponse, relayWholeResponse } from './relay-answer.ts'
import type { Rebuilt, Wire } from './wire.ts'
import { wires } from './wires.ts'

export interface ModelDeps {
  attempts: AttemptStore
  models: ModelStore
  calls: ModelCallStore
  opener: Opener
  egress: Egress
  budget: BudgetDefaults
}

const maxBodyBytes = 16 * 1024 * 1024
const maxConcurrentBytes = 256 * 1024 * 1024
/** No provider counts more tokens than bytes of text, but for the prompt that it puts around tools. */
const hiddenPromptTokens = 1_000
/** Some count thousands of tokens for a few bytes of image. Found in the request's JSON, where quotes in texts are escaped. */
const imagePattern = /"type":"(?:image|image_url|input_image)"/

export function addModelRoutes(server: HttpServer, deps: ModelDeps): void {
  const underWay = new CallsUnderWay()
  const bodies = new BodyBudget(maxConcurrentBytes)
  for (const wire of wires) {
    // A scope of its own each: bodies are larger here, and errors have the vendor's shape from the first check to the last.
    server.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
        parseConversation(body),
      )
      scope.setValidatorCompiler(compileValidator)
      scope.setErrorHandler((error, request, reply) => respondWithError(wire, error, request, reply))
      const askedBy = new WeakMap<FastifyRequest, { attempt: LiveAttempt; gone: AbortSignal }>()
      scope.post(`/model/v1${wire.path}`, {
        schema: { body: wire.Request },
        bodyLimit: maxBodyBytes,
        onRequest: async (request, reply) => {
          const attempt = await liveAttempt(request, deps.attempts)
          const gone = new AbortController()
          reply.raw.once('close', () => gone.abort())
          if (reply.raw.destroyed) gone.abort()
          // Before the body is read, which may take its time: else one turn could keep all the memory for bodies.
          if (!underWay.enter(attempt.turnId, gone.signal))
            throw new ModelError('rate_limited', { retryAfterSeconds: 1 })
          bodies.take(request, reply)
          askedBy.set(request, { attempt, gone: gone.signal })
        },
        handler: async (request, reply) => {
          const asked = askedBy.get(request)
          if (!asked) throw new ModelError('unauthenticated')
          return answer(wire, deps, { ...asked, request, reply })
        },
      })
    })
  }
}

interface Asked {
  attempt: LiveAttempt
  request: FastifyRequest
  reply: FastifyReply
  /** Nobody waits for the answer any more. */
  gone: AbortSignal
}

async function answer(wire: Wire, deps: ModelDeps, { attempt, request, reply, gone }: Asked): Promise<FastifyReply> {
  const { projectId, jobId, turnId } = attempt
  if (attempt.stop) throw new ModelError('not_allowed', { message: 'The turn is to stop: there are no more calls.' })
  const model = await deps.models.find(projectId, attempt.model)
  if (!model) throw new ModelError('not_allowed')
  if (model.format !== wire.format)
    throw new ModelError('invalid_request', { message: `The job's model speaks ${model.format}, not ${wire.format}.` })
  const { providerModel, maxOutputTokens } = model
  const known = knownParts(wire.Request, request.body) as Json
  const rebuilt = wire.rebuild(known, { providerModel, maxOutputTokens, cacheKey: jobId })
  const body = JSON.stringify(rebuilt.body)
  request.body = undefined // some megabytes, which are not needed for the minutes that the call may take
  const key = await openModelKey(model, deps.opener)

  gone.throwIfAborted()
  // The body may have taken its time, and the turn may be over by now.
  const now = await liveAttempt(request, deps.attempts)
  if (now.stop) throw new ModelError('not_allowed', { message: 'The turn is to stop: there are no more calls.' })
  const wanted = { projectId, jobId, turnId, model, atMost: atMost(model, rebuilt, body) }
  const reservation = reservationIn(await deps.calls.reserve(wanted, deps.budget))
  const meter = new Meter(deps.calls, reservation, request.log)
  const explainFault = createExplainFault(request.log, model, key)
  request.raw.socket.setTimeout((providerLimits.silenceSeconds + 30) * 1000) // longer than the server's own patience
  const call = { wire, model, key, body, signal: gone }
  const response = await callProvider(deps.egress, call, explainFault).catch(async (error: unknown) => {
    await (mayHaveArrived(error) ? meter.brokenOff() : meter.unused())
    throw error
  })
  const found = { wire, response, meter, explainFault }
  if (!rebuilt.stream)
    return reply.header('content-type', 'application/json; charset=utf-8').send(await relayWholeResponse(found))
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(Readable.from(relayStreamedResponse(found), { objectMode: false }))
}

function reservationIn(reserved: Reserved): Reservation {
  switch (reserved.kind) {
    case 'reserved':
      return reserved.reservation
    case 'out_of_budget':
      throw new ModelError('out_of_budget', { message: `Out of budget: ${budgetWords[reserved.budget]}` })
    case 'too_many_failures':
      throw new ModelError('rate_limited', { retryAfterSeconds: 60 })
  }
}

function atMost(
  { contextWindowTokens }: StoredModel,
  { maxOutputTokens }: Rebuilt,
  body: string,
): Reservation['atMost'] {
  const ofText = Math.min(Buffer.byteLength(body) + hiddenPromptTokens, contextWindowTokens)
  return { inputTokens: imagePattern.test(body) ? contextWindowTokens : ofText, outputTokens: maxOutputTokens }
}

const budgetWords: Record<Budget, string> = {
  job_tokens: 'the job has no tokens left.',
  month_tokens: 'the project has no tokens left this month.',
  month_usd: 'the project has no money left this month.',
}
