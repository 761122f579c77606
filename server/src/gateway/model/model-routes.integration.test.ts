/** The official SDKs, the gateway, PostgreSQL and the scripted provider. */
import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Script } from '../../../../testing/simulators/model/script.ts'
import { generateKey } from '../../keys/key-format.ts'
import { type ModelFormat, modelFormats } from '../../models/model.ts'
import {
  buildModelRequest,
  createScriptedPrompt,
  modelPathsByFormat,
  providerKey,
  startSimulatedProvider,
  startTestModelGateway,
  type TestModelGateway,
} from './testing/model-gateway.ts'

let gateway: TestModelGateway
beforeAll(async () => {
  gateway = await startTestModelGateway(inject('services'), 'model-routes')
})
afterAll(() => gateway.stop())

const anthropic = (token: string, maxRetries = 0) =>
  new Anthropic({ baseURL: `${gateway.url}/model`, apiKey: null, authToken: token, maxRetries })
const openai = (token: string, maxRetries = 0) =>
  new OpenAI({ baseURL: `${gateway.url}/model/v1`, apiKey: token, maxRetries })

/** The result in the official SDK: the texts, and the names of the called tools. */
async function callWithSdk(format: ModelFormat, token: string, text: string, stream: boolean): Promise<string[]> {
  const request = buildModelRequest(format, text) as never
  if (format === 'anthropic-messages') {
    const { messages } = anthropic(token)
    const message = stream ? await messages.stream(request).finalMessage() : await messages.create(request)
    return (message as Anthropic.Message).content.map((block) =>
      block.type === 'text' ? block.text : block.type === 'tool_use' ? block.name : block.type,
    )
  }
  if (format === 'openai-completions') {
    const { completions } = openai(token).chat
    const completion = stream
      ? await completions.stream(request).finalChatCompletion()
      : ((await completions.create(request)) as OpenAI.ChatCompletion)
    const message = completion.choices[0]?.message
    const toolNames =
      message?.tool_calls?.map((call) => (call.type === 'function' ? call.function.name : call.type)) ?? []
    return [...(message?.content ? [message.content] : []), ...toolNames]
  }
  const { responses } = openai(token)
  const response = stream
    ? await responses.stream(request).finalResponse()
    : ((await responses.create(request)) as OpenAI.Responses.Response)
  return response.output.map((item) =>
    item.type === 'message'
      ? item.content.map((part) => ('text' in part ? part.text : '')).join('')
      : 'name' in item
        ? String(item.name)
        : '',
  )
}

describe.each(modelFormats)('%s', (format) => {
  const usage = { inputTokens: 1000, cacheReadTokens: 400, cacheWriteTokens: 60, outputTokens: 50 }
  const script: Script = [{ say: 'I look.', call: [{ tool: 'ls', arguments: { path: 'docs' } }], usage }]
  const cost = (1000 * 3 + 400 * 0.3 + 60 * 3.75 + 50 * 15) / 1e6

  it.each([true, false])('works with the official SDK, and counts the usage (streamed: %s)', async (stream) => {
    const turn = await gateway.claim(format)
    expect(await callWithSdk(format, turn.attemptToken, createScriptedPrompt(script), stream)).toEqual([
      'I look.',
      'ls',
    ])
    expect(await gateway.usageOf(turn)).toEqual({ inputTokens: 1460, outputTokens: 50, costUsd: cost })
    await callWithSdk(format, turn.attemptToken, createScriptedPrompt(script), stream)
    expect(await gateway.usageOf(turn)).toEqual({ inputTokens: 2920, outputTokens: 100, costUsd: 2 * cost })
  })

  it("calls the provider with the provider's model name and key, and no header of the client", async () => {
    const { baseUrl, requests } = await startSimulatedProvider((response) => response.writeHead(500).end())
    const turn = await gateway.claim(format, { baseUrl, providerModel: 'the-real-name' })
    await fetch(`${gateway.url}${modelPathsByFormat[format]}?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${turn.attemptToken}`,
        'x-api-key': 'mine',
        'anthropic-beta': 'evil',
        'openai-organization': 'evil',
        'x-forwarded-for': '1.2.3.4',
        'user-agent': 'evil',
        cookie: 'evil=1',
        'x-evil': 'evil',
      },
      body: JSON.stringify(buildModelRequest(format, 'x', { model: 'evil', stream: true })),
    })
    const [request] = requests
    expect(request?.url).toBe(`/v1${modelPathsByFormat[format].slice('/model/v1'.length)}`)
    expect(request?.body.model).toBe('the-real-name')
    expect(JSON.stringify(request)).not.toMatch(/evil|colophon_attempt|mine/)
    expect(JSON.stringify(request?.headers)).toContain(providerKey)
    expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual(
      [
        'accept',
        'accept-encoding',
        'connection',
        'content-length',
        'content-type',
        'host',
        'user-agent',
        ...(format === 'anthropic-messages' ? ['anthropic-version', 'x-api-key'] : ['authorization']),
      ].toSorted(),
    )
    if (format === 'openai-completions') expect(request?.body.stream_options).toEqual({ include_usage: true })
    if (format === 'openai-responses') expect(request?.body.store).toBe(false)
  })

  it('rejects requests without the token of a current attempt', async () => {
    const turn = await gateway.claim(format)
    const body = buildModelRequest(format, 'x')
    const invalidTokens = [
      undefined,
      '',
      'x',
      generateKey('colophon_attempt_'),
      generateKey('colophon_runner_'),
      generateKey('colophon_'),
    ]
    for (const token of invalidTokens) expect((await gateway.post(format, token, body)).status).toBe(401)
    await gateway.instance.pool.query('UPDATE turn_attempt SET ended_at = now() WHERE turn_id = $1', [turn.turnId])
    const ended = await gateway.post(format, turn.attemptToken, body)
    expect([ended.status, await ended.text()]).toEqual([401, expect.stringContaining('token is invalid')])
    expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 0 })
  })

  it('makes no call for a turn that is being stopped, or with a model that was removed or is not allowed', async () => {
    const turn = await gateway.claim(format)
    const expectForbidden = async () =>
      expect((await gateway.post(format, turn.attemptToken, buildModelRequest(format, 'x'))).status).toBe(403)
    await gateway.models.setAllowedProjects(turn.model, [], { kind: 'operator' })
    await expectForbidden()
    await gateway.models.setAllowedProjects(turn.model, [turn.projectId], { kind: 'operator' })
    expect((await gateway.post(format, turn.attemptToken, buildModelRequest(format, 'x'))).status).toBe(200)
    await gateway.instance.pool.query("UPDATE job SET pending_stop = 'cancel' WHERE id = $1", [turn.jobId])
    await expectForbidden()
    await gateway.instance.pool.query('UPDATE job SET pending_stop = NULL WHERE id = $1', [turn.jobId])
    await gateway.models.remove(turn.model, { kind: 'operator' })
    await expectForbidden()
  })

  it("rejects a request that is not in this format, with an error in the provider's format", async () => {
    const turn = await gateway.claim(format)
    const invalidBodies = [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '"x"',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      Buffer.from([0xff]).toString('latin1'),
    ]
    for (const body of invalidBodies) {
      const response = await gateway.post(format, turn.attemptToken, body)
      expect(response.status).toBe(400)
      expect(((await response.json()) as { error: { type: string } }).error.type).toBe('invalid_request_error')
    }
    const otherFormats = modelFormats.filter((candidate) => candidate !== format)
    for (const otherFormat of otherFormats) {
      const response = await gateway.post(otherFormat, turn.attemptToken, buildModelRequest(otherFormat, 'x'))
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining(`uses the format ${format}`),
      ])
    }
    const huge = await gateway.post(format, turn.attemptToken, buildModelRequest(format, 'x'.repeat(17 * 1024 * 1024)))
    expect([huge.status, await huge.text()]).toEqual([413, expect.stringContaining('request_too_large')])
    const plain = await fetch(gateway.url + modelPathsByFormat[format], {
      method: 'POST',
      headers: { authorization: `Bearer ${turn.attemptToken}`, 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(plain.status).toBe(400)
  })

  it('passes on that the provider is overloaded, with its Retry-After, and counts no usage', async () => {
    const turn = await gateway.claim(format)
    const busy = (status: 429 | 500 | 529): Script => [
      { say: 'x', fault: { kind: 'status', status, retryAfterSeconds: 7, times: 9 } },
    ]
    const limited = await gateway.post(
      format,
      turn.attemptToken,
      buildModelRequest(format, createScriptedPrompt(busy(429)), { stream: true }),
    )
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await limited.text()).toMatch(/rate_limit_e/)
    const failed = await gateway.post(
      format,
      turn.attemptToken,
      buildModelRequest(format, createScriptedPrompt(busy(500))),
    )
    expect([failed.status, await failed.text()]).toEqual([500, expect.stringContaining('server error')])
    const overloaded = await gateway.post(
      format,
      turn.attemptToken,
      buildModelRequest(format, createScriptedPrompt(busy(529))),
    )
    expect(overloaded.status).toBe(format === 'anthropic-messages' ? 529 : 503)
    expect(await overloaded.text()).toContain('overloaded')
    expect(await gateway.usageOf(turn)).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 })
  })

  it('succeeds when the SDK retries', async () => {
    const turn = await gateway.claim(format)
    const script: Script = [{ say: 'At last.', fault: { kind: 'status', status: 500, times: 2 } }]
    const body = buildModelRequest(format, createScriptedPrompt(script)) as never
    if (format === 'anthropic-messages') await anthropic(turn.attemptToken, 3).messages.create(body)
    if (format === 'openai-completions') await openai(turn.attemptToken, 3).chat.completions.create(body)
    if (format === 'openai-responses') await openai(turn.attemptToken, 3).responses.create(body)
    expect(await gateway.usageOf(turn)).not.toMatchObject({ outputTokens: 0 })
  })

  it.each([
    [400, { message: 'prompt is too long: 213462 tokens > 200000 maximum' }, 400, /prompt is too long/],
    [400, { code: 'context_length_exceeded', message: 'x' }, 400, /exceeds the context window/],
    [400, { message: `Unsupported parameter at ${providerKey}` }, 400, /rejected this request/],
    [401, { message: `Incorrect API key provided: ${providerKey}` }, 401, /rejected this model's API key/],
    [403, { message: `No access for org-12345` }, 401, /rejected this model's API key/],
    [404, { message: 'The model gpt-internal does not exist' }, 400, /rejected this request/],
    [429, { code: 'insufficient_quota', message: 'You exceeded your current quota' }, 402, /billing/],
    [502, '<html>nginx at 10.1.2.3</html>', 502, /server error/],
    [302, { message: 'elsewhere' }, 400, /rejected this request/],
  ])('replaces the message of a %i of the provider: %j', async (status, error, expected, message) => {
    const { baseUrl } = await startSimulatedProvider((response) =>
      response
        .writeHead(status, { 'x-internal': providerKey, 'set-cookie': 'a=b', location: 'http://127.0.0.1:1/' })
        .end(typeof error === 'string' ? error : JSON.stringify({ error })),
    )
    const turn = await gateway.claim(format, { baseUrl })
    const response = await gateway.post(format, turn.attemptToken, buildModelRequest(format, 'x', { stream: true }))
    const text = await response.text()
    expect([response.status, text]).toEqual([expected, expect.stringMatching(message)])
    expect(text + JSON.stringify([...response.headers])).not.toMatch(
      /sk-very|x-internal|set-cookie|location|nginx|org-12345|gpt-internal/,
    )
    expect(gateway.logged.join('')).not.toContain(providerKey)
  })

  it('interrupts the response where the provider does, and counts the maximum usage', async () => {
    const turn = await gateway.claim(format)
    const script: Script = [{ say: 'x'.repeat(2000), usage, fault: { kind: 'cut', afterChunks: 4 } }]
    const cut = await gateway.post(
      format,
      turn.attemptToken,
      buildModelRequest(format, createScriptedPrompt(script), { stream: true }),
    )
    expect(cut.status).toBe(200)
    await expect(cut.text()).rejects.toThrow()
    const { outputTokens } = await gateway.usageOf(turn)
    expect(outputTokens).toBe(format === 'anthropic-messages' ? 1000 : 4000)
  })

  it('aborts the call when the client disconnects', async () => {
    const turn = await gateway.claim(format)
    const silentScript: Script = [
      { say: 'x'.repeat(2000), fault: { kind: 'silence', afterChunks: 4, milliseconds: 60_000 } },
    ]
    const client = new AbortController()
    const response = await gateway.post(
      format,
      turn.attemptToken,
      buildModelRequest(format, createScriptedPrompt(silentScript), { stream: true }),
      client.signal,
    )
    await response.body?.getReader().read()
    const disconnectedAt = Date.now()
    client.abort()
    while ((await gateway.providerCalls()).at(-1)?.outcome === null) await sleep(20)
    expect((await gateway.providerCalls()).at(-1)?.outcome).toBe('client_gone')
    expect(Date.now() - disconnectedAt).toBeLessThan(30_000) // the provider would be silent for 60 s
    expect((await gateway.usageOf(turn)).outputTokens).toBeGreaterThan(0)
  })

  it('rejects calls beyond the budget permanently, and records which budget it was', async () => {
    const turn = await gateway.claim(format)
    await gateway.instance.pool.query(
      'INSERT INTO project_budget (project_id, max_tokens_per_job) VALUES ($1, 10000)',
      [turn.projectId],
    )
    const spend: Script = [{ say: 'x', usage: { inputTokens: 5_000, outputTokens: 900 } }]
    await callWithSdk(format, turn.attemptToken, createScriptedPrompt(spend), true)
    const callsBefore = (await gateway.providerCalls()).length
    const longPrompt = `${createScriptedPrompt(spend)} ${'x'.repeat(4000)}`
    const rejected = await gateway.post(format, turn.attemptToken, buildModelRequest(format, longPrompt))
    expect([rejected.status, rejected.headers.get('x-should-retry')]).toEqual([402, 'false'])
    expect(await rejected.text()).toMatch(/Out of budget/)
    const client = format === 'anthropic-messages' ? anthropic(turn.attemptToken, 5) : openai(turn.attemptToken, 5)
    const startedAt = Date.now()
    await expect(
      client.post(
        format === 'anthropic-messages' ? '/v1/messages' : modelPathsByFormat[format].slice('/model/v1'.length),
        {
          body: buildModelRequest(format, longPrompt),
        },
      ),
    ).rejects.toMatchObject({ status: 402 })
    expect(Date.now() - startedAt).toBeLessThan(9_000) // five retries would take longer
    expect(await gateway.providerCalls()).toHaveLength(callsBefore)
    expect(await gateway.calls.exceededBudget(turn.turnId)).toBe('job_tokens')
    expect(await gateway.usageOf(turn)).toMatchObject({ inputTokens: 5_000, outputTokens: 900 })
  })
})
