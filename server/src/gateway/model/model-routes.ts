/**
 * The model proxy for the agent in its sandbox. The agent calls it like the API of the model's provider, with the token
 * of its attempt. It can neither choose nor see the actual provider, the provider's model name or the key.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../../jobs/attempt-store.ts'
import type { BudgetKind, ConfiguredCeilings } from '../../models/budget.ts'
import type { ModelCallStore, Reservation, ReservationResult } from '../../models/model-call-store.ts'
import { type ModelStore, openModelKey, type StoredModel } from '../../models/model-store.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import { countMetric, observeMetric } from '../../platform/metrics/metrics.ts'
import type { Opener } from '../../platform/sealed-secrets/sealed-secret.ts'
import { requireLiveAttempt } from '../authenticate-attempt.ts'
import { BodyMemoryLimit } from '../body-memory-limit.ts'
import { ConcurrentCallsPerTurnLimit } from '../concurrent-calls-per-turn-limit.ts'
import type { GatewayAccess } from '../gateway-route.ts'
import {
  callProvider,
  createProviderErrorHandler,
  mayHaveReachedProvider,
  providerEgressLimits,
} from './call-provider.ts'
import type { JsonObject } from './json.ts'
import { ModelError } from './model-error.ts'
import { parseModelRequestBody } from './parse-model-request-body.ts'
import { pickSchemaFields } from './pick-schema-fields.ts'
import type { ProviderAdapter, RebuiltRequest } from './provider-adapter.ts'
import { providerAdapters } from './provider-adapters.ts'
import { relayStreamedResponse, relayWholeResponse } from './relay-response.ts'
import { respondWithModelError } from './respond-with-model-error.ts'
import { UsageMeter } from './usage-meter.ts'

export interface ModelRouteDeps {
  attempts: AttemptStore
  models: ModelStore
  calls: ModelCallStore
  opener: Opener
  egress: Egress
  ceilings: ConfiguredCeilings
}

const maxBodyBytes = 16 * 1024 * 1024
const maxConcurrentBytes = 256 * 1024 * 1024
/** A provider counts at most one token per byte of text, plus the prompt that it adds for tools. */
const hiddenPromptTokens = 1_000
/**
 * Some count thousands of tokens for a few bytes of an image. Matched in the JSON of the request, where quotes in texts
 * are escaped.
 */
const imagePattern = /"type":"(?:image|image_url|input_image)"/

export function addModelRoutes(server: HttpServer, deps: ModelRouteDeps): void {
  const concurrencyLimit = new ConcurrentCallsPerTurnLimit()
  const bodies = new BodyMemoryLimit(maxConcurrentBytes)
  for (const adapter of providerAdapters) {
    // A separate scope for each format: bodies may be larger here, and all errors have the provider's format.
    server.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
        parseModelRequestBody(body),
      )
      scope.setValidatorCompiler(compileValidator)
      scope.setErrorHandler((error, request, reply) => respondWithModelError(adapter, error, request, reply))
      const callers = new WeakMap<FastifyRequest, { attempt: LiveAttempt; disconnected: AbortSignal }>()
      scope.post(`/model/v1${adapter.path}`, {
        config: { access: 'attempt' satisfies GatewayAccess },
        schema: { body: adapter.requestSchema },
        bodyLimit: maxBodyBytes,
        onRequest: async (request, reply) => {
          const attempt = await requireLiveAttempt(request, deps.attempts)
          const disconnected = new AbortController()
          reply.raw.once('close', () => disconnected.abort())
          if (reply.raw.destroyed) disconnected.abort()
          // Before the body is read, which may take a while: otherwise one turn could use all the memory for bodies.
          if (!concurrencyLimit.acquire(attempt.turnId, disconnected.signal))
            throw new ModelError('rate_limited', { retryAfterSeconds: 1 })
          bodies.reserve(request, reply)
          callers.set(request, { attempt, disconnected: disconnected.signal })
        },
        handler: async (request, reply) => {
          const caller = callers.get(request)
          if (!caller) throw new ModelError('unauthenticated')
          return proxyCall(adapter, deps, { ...caller, request, reply })
        },
      })
    })
  }
}

interface ProxiedRequest {
  attempt: LiveAttempt
  request: FastifyRequest
  reply: FastifyReply
  /** Aborted when the client has closed the connection. */
  disconnected: AbortSignal
}

async function proxyCall(
  adapter: ProviderAdapter,
  deps: ModelRouteDeps,
  { attempt, request, reply, disconnected }: ProxiedRequest,
): Promise<FastifyReply> {
  const { projectId, jobId, turnId } = attempt
  if (attempt.stop)
    throw new ModelError('not_allowed', { message: 'The turn is being stopped: no more calls are allowed.' })
  const model = await deps.models.find(projectId, attempt.model)
  if (!model) throw new ModelError('not_allowed')
  if (model.format !== adapter.format)
    throw new ModelError('invalid_request', {
      message: `The model of this job uses the format ${model.format}, not ${adapter.format}.`,
    })
  const { providerModel, maxOutputTokens } = model
  const knownFields = pickSchemaFields(adapter.requestSchema, request.body) as JsonObject
  const rebuilt = adapter.rebuild(knownFields, { providerModel, maxOutputTokens, cacheKey: jobId })
  const body = JSON.stringify(rebuilt.body)
  request.body = undefined // frees some megabytes for the minutes that the call may take
  const key = await openModelKey(model, deps.opener)

  disconnected.throwIfAborted()
  // The body may have taken a while to arrive, and the attempt may have ended in the meantime.
  const currentAttempt = await requireLiveAttempt(request, deps.attempts)
  if (currentAttempt.stop)
    throw new ModelError('not_allowed', { message: 'The turn is being stopped: no more calls are allowed.' })
  const maxUsage = maxUsageOf(model, rebuilt, body)
  const reserved = await deps.calls.reserve({ projectId, jobId, turnId, model, maxUsage }, deps.ceilings)
  const reservation = requireReservation(reserved, projectId)
  const meter = new UsageMeter(deps.calls, reservation, request.log)
  const handleProviderError = createProviderErrorHandler(request.log, model, key)
  request.raw.socket.setTimeout((providerEgressLimits.idleTimeoutSeconds + 30) * 1000) // longer than the server's idle timeout
  const call = { adapter, model, key, body, signal: disconnected }
  const startedAtMs = performance.now()
  const response = await callProvider(deps.egress, call, handleProviderError).catch(async (error: unknown) => {
    await (mayHaveReachedProvider(error) ? meter.settleInterrupted() : meter.settleUnused())
    throw error
  })
  observeMetric('colophon_model_call_wait_seconds', {}, (performance.now() - startedAtMs) / 1000)
  const relayed = { adapter, response, meter, handleProviderError }
  if (!rebuilt.stream)
    return reply.header('content-type', 'application/json; charset=utf-8').send(await relayWholeResponse(relayed))
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(Readable.from(relayStreamedResponse(relayed), { objectMode: false }))
}

function requireReservation(reserved: ReservationResult, projectId: string): Reservation {
  if (reserved.kind !== 'reserved') {
    const reason = reserved.kind === 'out_of_budget' ? reserved.budget : reserved.kind
    countMetric('colophon_model_refusals_total', { reason }, { projectId })
  }
  switch (reserved.kind) {
    case 'reserved':
      return reserved.reservation
    case 'out_of_budget':
      throw new ModelError('out_of_budget', { message: `Out of budget: ${budgetMessages[reserved.budget]}` })
    case 'too_many_failures':
      throw new ModelError('rate_limited', { retryAfterSeconds: 60 })
  }
}

function maxUsageOf(
  { contextWindowTokens }: StoredModel,
  { maxOutputTokens }: RebuiltRequest,
  body: string,
): Reservation['maxUsage'] {
  const textTokens = Math.min(Buffer.byteLength(body) + hiddenPromptTokens, contextWindowTokens)
  return { inputTokens: imagePattern.test(body) ? contextWindowTokens : textTokens, outputTokens: maxOutputTokens }
}

const budgetMessages: Record<BudgetKind, string> = {
  job_tokens: 'the job has used its token budget.',
  month_tokens: 'the project has used its monthly token budget.',
  month_usd: 'the project has used its monthly budget in US dollars.',
  hour_tokens: 'the project has used its token budget of this hour.',
  hour_usd: 'the project has used its budget of this hour in US dollars.',
  instance_month_tokens: 'the instance has used its monthly token budget.',
  instance_month_usd: 'the instance has used its monthly budget in US dollars.',
  instance_hour_tokens: 'the instance has used its token budget of this hour.',
  instance_hour_usd: 'the instance has used its budget of this hour in US dollars.',
}
