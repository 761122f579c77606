/** The model's half of a gateway in this process, with a scripted vendor of its own, on a scope of shared engines. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type ClaimedTurn, claimTurn } from '../../../../../dev-services/claimed-turn.ts'
import type { Call } from '../../../../../dev-services/model/call-log.ts'
import { createModelServer } from '../../../../../dev-services/model/model-server.ts'
import type { Script } from '../../../../../dev-services/model/script.ts'
import type { ServiceAddresses } from '../../../../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../../../../dev-services/test-instance.ts'
import { AttemptStore } from '../../../jobs/attempt-store.ts'
import type { Job } from '../../../jobs/job.ts'
import type { JobTables } from '../../../jobs/tables.ts'
import { ModelCallStore } from '../../../models/call-store.ts'
import type { Model, ModelFormat } from '../../../models/model.ts'
import { ModelStore } from '../../../models/model-store.ts'
import type { ModelTables } from '../../../models/tables.ts'
import { createEgress } from '../../../platform/egress/egress.ts'
import { createHttpServer } from '../../../platform/http/http-server.ts'
import { addJsonBody } from '../../../platform/http/json-body.ts'
import type { Id } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { createDatabase } from '../../../platform/postgres.ts'
import { createOpener, createSealer } from '../../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../../../platform/sealed-secrets/sealing-keys.ts'
import { addModelRoutes } from '../model-routes.ts'

/** The operator's, at every vendor. */
export const key = 'sk-very-secret-key-of-the-operator'

export const paths = {
  'anthropic-messages': '/model/v1/messages',
  'openai-completions': '/model/v1/chat/completions',
  'openai-responses': '/model/v1/responses',
} as const

export interface ModelGateway {
  url: string
  instance: TestInstance
  models: ModelStore
  calls: ModelCallStore
  /** Warnings and errors. */
  logged: string[]
  /** A turn in hand of a new project and a new model, of the scripted vendor unless said otherwise. */
  claim(format: ModelFormat, change?: Partial<Model>): Promise<GatewayTurn>
  post(format: ModelFormat, token: string | undefined, body: unknown, signal?: AbortSignal): Promise<Response>
  /** Of a call that ended early too, which is settled a moment after its client has seen the end. */
  usageOf(turn: GatewayTurn): Promise<Job['usage']>
  /** What the scripted vendor was asked; those under way have no outcome. */
  asked(): Promise<Call[]>
  stop(): Promise<void>
}

export interface GatewayTurn extends ClaimedTurn {
  projectId: Id<'prj'>
  model: string
}

export async function startModelGateway(addresses: ServiceAddresses, purpose: string): Promise<ModelGateway> {
  const instance = await createTestInstance(addresses, purpose)
  const vendor = createModelServer().listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
  const database = createDatabase<ModelTables>(instance.pool)
  const models = new ModelStore(database)
  const calls = new ModelCallStore(database)
  const sealing = parseSealingPrivateKeys(generateSealingKeyPair().privateEntry)
  if (!sealing.ok) throw new Error('no sealing keys')
  const sealer = createSealer(sealing.keys)
  const egress = createEgress({ allowedNetworks: ['127.0.0.1/32'] })
  const logged: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line) => void logged.push(line) })
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 }
  const server = createHttpServer(http, log)
  addJsonBody(server)
  addModelRoutes(server, {
    models,
    calls,
    egress,
    opener: createOpener(sealing.keys),
    attempts: new AttemptStore(createDatabase<JobTables>(instance.pool)),
    budget: { maxTokensPerJob: 1_000_000, maxTokensPerMonth: null, maxUsdPerMonth: null },
  })
  const url = await server.listen(http.listen)

  let modelsMade = 0
  async function addModel(format: ModelFormat, change: Partial<Model>): Promise<Model> {
    const model: Model = {
      name: `model-${++modelsMade}`,
      format,
      baseUrl: `${vendorUrl}/v1`,
      providerModel: 'scripted/answer',
      contextWindowTokens: 200_000,
      maxOutputTokens: 4_000,
      prices: { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' },
      projectIds: null,
      isDefault: false,
      ...change,
    }
    await models.add(model, key, sealer)
    return model
  }

  return {
    url,
    instance,
    models,
    calls,
    logged,
    async claim(format, change = {}) {
      const { id: projectId } = await instance.stores.projects.create('Docs', { kind: 'operator' })
      const { name: model } = await addModel(format, change)
      return { ...(await claimTurn(instance, projectId, model)), projectId, model }
    },
    post: (format, token, body, signal) =>
      fetch(url + paths[format], {
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
    asked: async () => (await (await fetch(`${vendorUrl}/calls?since=0`)).json()) as Call[],
    async stop() {
      await server.close()
      await egress.close()
      vendor.closeAllConnections()
      vendor.close()
      await instance.drop()
    },
  }
}

export interface PlayedVendor {
  baseUrl: string
  asked: { headers: IncomingMessage['headers']; url: string | undefined; body: Record<string, unknown> }[]
}

/** A vendor with manners that the scripted one does not have. */
export async function playVendor(answer: (response: ServerResponse) => void): Promise<PlayedVendor> {
  const asked: PlayedVendor['asked'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push({ headers: request.headers, url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

/** With something of its own: what goes wrong in a conversation is counted by its words. */
export const promptOf = (script: Script) => `${Math.random()}\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\``

const tool = { name: 'ls', description: 'Lists.' }

/** The smallest request in each format. */
export function requestIn(format: ModelFormat, prompt: string, more: object = {}): object {
  switch (format) {
    case 'anthropic-messages': {
      const messages = [{ role: 'user', content: prompt }]
      return {
        model: 'any',
        max_tokens: 1000,
        messages,
        tools: [{ ...tool, input_schema: { type: 'object' } }],
        ...more,
      }
    }
    case 'openai-completions': {
      const messages = [{ role: 'user', content: prompt }]
      return { model: 'any', messages, tools: [{ type: 'function', function: tool }], ...more }
    }
    case 'openai-responses':
      return { model: 'any', input: prompt, tools: [{ type: 'function', ...tool, parameters: null }], ...more }
  }
}
