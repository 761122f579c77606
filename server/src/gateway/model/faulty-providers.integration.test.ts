/** Providers and clients that misbehave. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Script } from '../../../../testing/simulators/model/script.ts'
import { modelFormats } from '../../models/model.ts'
import {
  buildModelRequest,
  createScriptedPrompt,
  providerKey,
  startSimulatedProvider,
  startTestModelGateway,
  type TestModelGateway,
} from './testing/model-gateway.ts'

let gateway: TestModelGateway
beforeAll(async () => {
  gateway = await startTestModelGateway(inject('services'), 'faulty-providers')
})
afterAll(() => gateway.stop())

const streamHead = { 'content-type': 'text/event-stream' }

test("replaces the provider's message of an error in the middle of a response", async () => {
  const streams = {
    'anthropic-messages': `event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"${providerKey}"}}\n\n`,
    'openai-completions': `data: {"choices":[]}\n\ndata: {"error":{"message":"${providerKey}","code":"server_error"}}\n\ndata: [DONE]\n\n`,
    'openai-responses': `event: response.created\ndata: {"type":"response.created","response":{"status":"in_progress"}}\n\nevent: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"${providerKey}"}}}\n\n`,
  }
  for (const format of modelFormats) {
    const { baseUrl } = await startSimulatedProvider((response) =>
      response.writeHead(200, streamHead).end(streams[format]),
    )
    const turn = await gateway.claim(format, { baseUrl })
    const text = await (
      await gateway.post(format, turn.attemptToken, buildModelRequest(format, 'x', { stream: true }))
    ).text()
    expect(text).not.toContain(providerKey)
    expect(text).toMatch(/"message":"The provider (is overloaded|reported a server error)\."/)
    expect((await gateway.usageOf(turn)).outputTokens).toBe(format === 'anthropic-messages' ? 1000 : 4000)
  }
})

test('reports an invalid response as a failure, and does not pass it on', async () => {
  for (const [head, body] of [
    [{ 'content-type': 'text/html' }, `<html>${providerKey}</html>`],
    [{ 'content-type': 'application/json' }, JSON.stringify({ error: { code: 'server_error', message: providerKey } })],
    [streamHead, `data: ${providerKey}\n\n: ${providerKey}\n\n`],
  ] as const) {
    const { baseUrl } = await startSimulatedProvider((response) => response.writeHead(200, head).end(body))
    for (const stream of [true, false]) {
      const turn = await gateway.claim('openai-completions', { baseUrl })
      const response = await gateway.post(
        'openai-completions',
        turn.attemptToken,
        buildModelRequest('openai-completions', 'x', { stream }),
      )
      expect(await response.text()).not.toContain(providerKey)
      if (!stream || head !== streamHead) expect(response.status).toBe(502)
    }
  }
})

test('counts the reservation if the provider reports no usage', async () => {
  const { baseUrl } = await startSimulatedProvider((response) =>
    response.writeHead(200, streamHead).end('data: {"choices":[]}\n\ndata: [DONE]\n\n'),
  )
  const turn = await gateway.claim('openai-completions', { baseUrl, contextWindowTokens: 1_100 })
  await (
    await gateway.post(
      'openai-completions',
      turn.attemptToken,
      buildModelRequest('openai-completions', 'x', { stream: true }),
    )
  ).text()
  expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 1_100, outputTokens: 4_000 })
})

test('applies backpressure to the provider when the client reads slowly', async () => {
  let writtenBytes = 0
  const { baseUrl } = await startSimulatedProvider((response) => {
    response.writeHead(200, streamHead)
    const chunk = `data: {"choices":[{"delta":{"content":"${'x'.repeat(10_000)}"}}]}\n\n`
    const writeAll = () => {
      while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length
      writtenBytes += chunk.length
    }
    response.on('drain', writeAll)
    writeAll()
  })
  const turn = await gateway.claim('openai-completions', { baseUrl })
  const client = new AbortController()
  const response = await gateway.post(
    'openai-completions',
    turn.attemptToken,
    buildModelRequest('openai-completions', 'x', { stream: true }),
    client.signal,
  )
  await response.body?.getReader().read()
  await sleep(1_000)
  const writtenBefore = writtenBytes
  await sleep(1_000)
  expect(writtenBytes).toBe(writtenBefore)
  expect(writtenBytes).toBeLessThan(20_000_000) // the buffers of three sockets on loopback
  client.abort()
})

test('limits a turn to four concurrent calls', async () => {
  const turn = await gateway.claim('openai-completions')
  const silent: Script = [{ say: 'x', fault: { kind: 'silence', afterChunks: 0, milliseconds: 60_000, times: 99 } }]
  const client = new AbortController()
  const pendingCalls = Array.from({ length: 4 }, () =>
    gateway
      .post(
        'openai-completions',
        turn.attemptToken,
        buildModelRequest('openai-completions', createScriptedPrompt(silent), { stream: true }),
        client.signal,
      )
      .catch(() => undefined),
  )
  await sleep(500)
  const another = () =>
    gateway.post('openai-completions', turn.attemptToken, buildModelRequest('openai-completions', 'script: answer'))
  expect((await another()).status).toBe(429)
  client.abort()
  await Promise.all(pendingCalls)
  await sleep(200)
  expect((await another()).status).toBe(200)
})

test('does not call a URL that is not allowed, and does not name it', async () => {
  const turn = await gateway.claim('openai-completions', { baseUrl: 'http://127.0.0.2:9/v1' })
  const response = await gateway.post(
    'openai-completions',
    turn.attemptToken,
    buildModelRequest('openai-completions', 'x'),
  )
  expect([response.status, await response.text()]).toEqual([502, expect.not.stringContaining('127.0.0.2')])
  expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 0 })
})

test('serves no other routes', async () => {
  const turn = await gateway.claim('anthropic-messages')
  for (const path of [
    '/model/v1/models',
    '/model/v1/messages/count_tokens',
    '/model/v1/files',
    '/model/',
    '/model/v1/messages/../../healthz',
  ]) {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${turn.attemptToken}` },
    })
    expect(response.status).toBe(404)
  }
  expect((await fetch(`${gateway.url}/model/v1/messages`)).status).toBe(405)
})
