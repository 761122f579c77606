/**
 * The model routes of a gateway in this process, with its own scripted provider, on a test instance of the shared
 * services.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type ClaimedTurn, createClaimedTurn } from '../../../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../../../testing/harness/test-instance.ts'
import type { ServiceAddresses } from '../../../../../testing/services/start-services.ts'
import type { LoggedModelCall } from '../../../../../testing/simulators/model/call-log.ts'
import { createModelServer } from '../../../../../testing/simulators/model/model-server.ts'
import type { Script } from '../../../../../testing/simulators/model/script.ts'
import { AttemptStore } from '../../../jobs/attempt-store.ts'
import type { Job } from '../../../jobs/job.ts'
import type { Model, ModelFormat } from '../../../models/model.ts'
import { ModelCallStore } from '../../../models/model-call-store.ts'
import { ModelStore } from '../../../models/model-store.ts'
import { createEgress } from '../../../platform/egress/egress.ts'
import { createHttpServer } from '../../../platform/http/http-server.ts'
import { addJsonBodyParser } from '../../../platform/http/json-body.ts'
import type { Id } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { createOpener, createSealer } from '../../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../../../platform/sealed-secrets/sealing-keys.ts'
import { addModelRoutes } from '../model-routes.ts'

const noPeriodLimits = {
  maxTokensPerMonth: 'none',
  maxUsdPerMonth: 'none',
  maxTokensPerHour: 'none',
  maxUsdPerHour: 'none',
} as const

/** The operator's key at every provider. */
export const providerKey = 'sk-very-secret-key-of-the-operator'

export const modelPathsByFormat = {
  'anthropic-messages': '/model/v1/messages',
  'openai-completions': '/model/v1/chat/completions',
  'openai-responses': '/model/v1/responses',
} as const

export interface TestModelGateway {
  url: string
  instance: TestInstance
  models: ModelStore
  calls: ModelCallStore
  /** Log lines: warnings and errors. */
  logged: string[]
  /** A claimed turn of a new project with a new model, by default of the scripted provider. */
  claim(format: ModelFormat, changes?: Partial<Model>): Promise<GatewayTurn>
  post(format: ModelFormat, token: string | undefined, body: unknown, signal?: AbortSignal): Promise<Response>
  /** Waits until all calls are settled: an interrupted call is settled shortly after its client has seen the end. */
  usageOf(turn: GatewayTurn): Promise<Job['usage']>
  /** The calls that the scripted provider received. Calls in progress have no outcome. */
  providerCalls(): Promise<LoggedModelCall[]>
  stop(): Promise<void>
}

export interface GatewayTurn extends ClaimedTurn {
  projectId: Id<'prj'>
  model: string
}

export async function startTestModelGateway(addresses: ServiceAddresses, purpose: string): Promise<TestModelGateway> {
  const instance = await createTestInstance(addresses, purpose)
  const provider = createModelServer().listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const database = instance.database
  const models = new ModelStore(database)
  const calls = new ModelCallStore(database)
  const sealing = parseSealingPrivateKeys(generateSealingKeyPair().privateEntry)
  if (!sealing.ok) throw new Error('invalid sealing keys')
  const sealer = createSealer(sealing.keys)
  const egress = createEgress({ allowedNetworks: ['127.0.0.1/32'] })
  const logged: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line) => void logged.push(line) })
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
  const server = createHttpServer(http, log)
  addJsonBodyParser(server)
  addModelRoutes(server, {
    models,
    calls,
    egress,
    opener: createOpener(sealing.keys),
    attempts: new AttemptStore(instance.database),
    ceilings: { project: { ...noPeriodLimits, maxTokensPerJob: 1_000_000 }, instance: noPeriodLimits },
  })
  const url = await server.listen(http.listen)

  let modelCount = 0
  async function addModel(format: ModelFormat, changes: Partial<Model>): Promise<Model> {
    const model: Model = {
      name: `model-${++modelCount}`,
      format,
      baseUrl: `${providerUrl}/v1`,
      providerModel: 'scripted/answer',
      contextWindowTokens: 200_000,
      maxOutputTokens: 4_000,
      prices: { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' },
      projectIds: null,
      isDefault: false,
      ...changes,
    }
    await models.add(model, providerKey, sealer, { kind: 'operator' })
    return model
  }

  return {
    url,
    instance,
    models,
    calls,
    logged,
    async claim(format, changes = {}) {
      const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
      const { name: model } = await addModel(format, changes)
      return { ...(await createClaimedTurn(instance, projectId, model)), projectId, model }
    },
    post: (format, token, body, signal) =>
      fetch(url + modelPathsByFormat[format], {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      }),
    async usageOf({ projectId, jobId }) {
      const unsettled = 'SELECT 1 FROM model_call WHERE job_id = $1 AND settled_at IS NULL'
      while ((await instance.pool.query(unsettled, [jobId])).rows.length > 0) await sleep(20)
      return (await instance.stores.jobs.get(projectId, jobId)).usage
    },
    providerCalls: async () => (await (await fetch(`${providerUrl}/calls?since=0`)).json()) as LoggedModelCall[],
    async stop() {
      await server.close()
      await egress.close()
      provider.closeAllConnections()
      provider.close()
      await instance.drop()
    },
  }
}

export interface SimulatedProvider {
  baseUrl: string
  requests: { headers: IncomingMessage['headers']; url: string | undefined; body: Record<string, unknown> }[]
}

/** A provider with behavior that the scripted one does not have. */
export async function startSimulatedProvider(respond: (response: ServerResponse) => void): Promise<SimulatedProvider> {
  const asked: SimulatedProvider['requests'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push({ headers: request.headers, url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) })
    respond(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: asked }
}

/** Unique, because the scripted provider counts faults by conversation text. */
export const createScriptedPrompt = (script: Script) =>
  `${Math.random()}\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\``

const tool = { name: 'ls', description: 'Lists.' }

/** The smallest request in each format. */
export function buildModelRequest(format: ModelFormat, prompt: string, fields: object = {}): object {
  switch (format) {
    case 'anthropic-messages': {
      const messages = [{ role: 'user', content: prompt }]
      return {
        model: 'any',
        max_tokens: 1000,
        messages,
        tools: [{ ...tool, input_schema: { type: 'object' } }],
        ...fields,
      }
    }
    case 'openai-completions': {
      const messages = [{ role: 'user', content: prompt }]
      return { model: 'any', messages, tools: [{ type: 'function', function: tool }], ...fields }
    }
    case 'openai-responses':
      return { model: 'any', input: prompt, tools: [{ type: 'function', ...tool, parameters: null }], ...fields }
  }
}
