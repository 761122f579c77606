import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createModelServer } from '../../../../testing/simulators/model/model-server.ts'
import { type Model, modelFormats } from '../../models/model.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { testModel } from './test-model.ts'

const key = 'sk-secret'

async function listen(server: ReturnType<typeof createModelServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function test(changes: Partial<Model>, withKey: string | null = key): Promise<string | undefined> {
  const egress = createEgress({ allowedNetworks: ['127.0.0.1/32'] })
  onTestFinished(() => egress.close())
  const model: Model = {
    name: 'm',
    format: 'anthropic-messages',
    baseUrl: '',
    providerModel: 'scripted/answer',
    isDefault: false,
    contextWindowTokens: 1000,
    maxOutputTokens: 100,
    projectIds: null,
    prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
    ...changes,
  }
  return testModel(model, withKey, egress)
}

describe.each(modelFormats)('%s', (format) => {
  it('is tested with one call', async () => {
    expect(await test({ format, baseUrl: await listen(createModelServer()) })).toBeUndefined()
  })

  it("reports the provider's error, without the key", async () => {
    const baseUrl = await listen(
      createServer((_request, response) =>
        response.writeHead(401).end(JSON.stringify({ error: { message: `bad ${key}` } })),
      ),
    )
    expect(await test({ format, baseUrl })).toBe('The provider responded with 401: bad [redacted]')
  })
})

it('reports a connection error, another format, a URL that is not allowed and a missing key', async () => {
  const json = { 'content-type': 'application/json' }
  const baseUrl = await listen(createServer((_request, response) => response.writeHead(200, json).end('{"ok":true}')))
  expect(await test({ baseUrl })).toMatch(/not in the format anthropic-messages/)
  expect(await test({ baseUrl: 'http://127.0.0.1:9/v1' })).toMatch(/^Cannot connect to 127\.0\.0\.1:9/)
  expect(await test({ baseUrl: 'http://127.0.0.2:9/v1' })).toMatch(/COLOPHON_EGRESS_ALLOWED_HOSTS/)
  expect(await test({ baseUrl: await listen(createModelServer()) }, null)).toMatch(/^The provider responded with 401/)
})
