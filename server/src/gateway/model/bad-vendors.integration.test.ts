/** Providers, and clients, with bad manners. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Script } from '../../../../dev-services/model/script.ts'
import { modelFormats } from '../../models/model.ts'
import { key, type ModelGateway, playVendor, promptOf, requestIn, startModelGateway } from './testing/model-gateway.ts'

let gateway: ModelGateway
beforeAll(async () => {
  gateway = await startModelGateway(inject('services'), 'bad-vendors')
})
afterAll(() => gateway.stop())

const streamHead = { 'content-type': 'text/event-stream' }

test('an error in the middle of an answer is told in our words', async () => {
  const told = {
    'anthropic-messages': `event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"${key}"}}\n\n`,
    'openai-completions': `data: {"choices":[]}\n\ndata: {"error":{"message":"${key}","code":"server_error"}}\n\ndata: [DONE]\n\n`,
    'openai-responses': `event: response.created\ndata: {"type":"response.created","response":{"status":"in_progress"}}\n\nevent: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"${key}"}}}\n\n`,
  }
  for (const format of modelFormats) {
    const { baseUrl } = await playVendor((response) => response.writeHead(200, streamHead).end(told[format]))
    const turn = await gateway.claim(format, { baseUrl })
    const text = await (await gateway.post(format, turn.attemptToken, requestIn(format, 'x', { stream: true }))).text()
    expect(text).not.toContain(key)
    expect(text).toMatch(/"message":"The provider (is overloaded|had a server error)\."/)
    expect((await gateway.usageOf(turn)).outputTokens).toBe(format === 'anthropic-messages' ? 1000 : 4000)
  }
})

test('an answer that is not one is a failure, and is not passed on', async () => {
  for (const [head, body] of [
    [{ 'content-type': 'text/html' }, `<html>${key}</html>`],
    [{ 'content-type': 'application/json' }, JSON.stringify({ error: { code: 'server_error', message: key } })],
    [streamHead, `data: ${key}\n\n: ${key}\n\n`],
  ] as const) {
    const { baseUrl } = await playVendor((response) => response.writeHead(200, head).end(body))
    for (const stream of [true, false]) {
      const turn = await gateway.claim('openai-completions', { baseUrl })
      const answer = await gateway.post(
        'openai-completions',
        turn.attemptToken,
        requestIn('openai-completions', 'x', { stream }),
      )
      expect(await answer.text()).not.toContain(key)
      if (!stream || head !== streamHead) expect(answer.status).toBe(502)
    }
  }
})

test('a provider that does not say what it used is taken to have used what was reserved', async () => {
  const { baseUrl } = await playVendor((response) =>
    response.writeHead(200, streamHead).end('data: {"choices":[]}\n\ndata: [DONE]\n\n'),
  )
  const turn = await gateway.claim('openai-completions', { baseUrl, contextWindowTokens: 1_100 })
  await (
    await gateway.post('openai-completions', turn.attemptToken, requestIn('openai-completions', 'x', { stream: true }))
  ).text()
  expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 1_100, outputTokens: 4_000 })
})

test('who reads slowly makes the provider wait: nothing piles up here', async () => {
  let written = 0
  const { baseUrl } = await playVendor((response) => {
    response.writeHead(200, streamHead)
    const chunk = `data: {"choices":[{"delta":{"content":"${'x'.repeat(10_000)}"}}]}\n\n`
    const pour = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
      written += chunk.length
    }
    response.on('drain', pour)
    pour()
  })
  const turn = await gateway.claim('openai-completions', { baseUrl })
  const leave = new AbortController()
  const answer = await gateway.post(
    'openai-completions',
    turn.attemptToken,
    requestIn('openai-completions', 'x', { stream: true }),
    leave.signal,
  )
  await answer.body?.getReader().read()
  await sleep(1_000)
  const before = written
  await sleep(1_000)
  expect(written).toBe(before)
  expect(written).toBeLessThan(20_000_000) // the buffers of three sockets on loopback
  leave.abort()
})

test('a turn makes at most four calls at once', async () => {
  const turn = await gateway.claim('openai-completions')
  const silent: Script = [{ say: 'x', fault: { kind: 'silence', afterChunks: 0, milliseconds: 60_000, times: 99 } }]
  const leave = new AbortController()
  const held = Array.from({ length: 4 }, () =>
    gateway
      .post(
        'openai-completions',
        turn.attemptToken,
        requestIn('openai-completions', promptOf(silent), { stream: true }),
        leave.signal,
      )
      .catch(() => undefined),
  )
  await sleep(500)
  const another = () =>
    gateway.post('openai-completions', turn.attemptToken, requestIn('openai-completions', 'script: answer'))
  expect((await another()).status).toBe(429)
  leave.abort()
  await Promise.all(held)
  await sleep(200)
  expect((await another()).status).toBe(200)
})

test('an address that may not be called is not called, and not named', async () => {
  const turn = await gateway.claim('openai-completions', { baseUrl: 'http://127.0.0.2:9/v1' })
  const answer = await gateway.post('openai-completions', turn.attemptToken, requestIn('openai-completions', 'x'))
  expect([answer.status, await answer.text()]).toEqual([502, expect.not.stringContaining('127.0.0.2')])
  expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 0 })
})

test('there is nothing else here', async () => {
  const turn = await gateway.claim('anthropic-messages')
  for (const path of [
    '/model/v1/models',
    '/model/v1/messages/count_tokens',
    '/model/v1/files',
    '/model/',
    '/model/v1/messages/../../healthz',
  ]) {
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${turn.attemptToken}` },
    })
    expect(answer.status).toBe(404)
  }
  expect((await fetch(`${gateway.url}/model/v1/messages`)).status).toBe(405)
})
