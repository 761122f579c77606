import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoggedModelCall } from './call-log.ts'
import { createModelServer } from './model-server.ts'
import type { Script, Usage } from './script.ts'

const server = createModelServer()
let url = ''
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The parts of a response that every format has. */
type ModelResponse = {
  text: string
  calls: { tool: string; arguments: unknown }[]
  usage: Usage
  refusal: string | null
}

/** Runs a conversation with the provider's own client. Every tool returns "ok". */
type Converse = (prompt: string, options?: { stream?: boolean; maxRetries?: number }) => Promise<ModelResponse[]>

const toolNames = ['ls', 'write']

const withAnthropic: Converse = async (prompt, { stream = false, maxRetries = 0 } = {}) => {
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries })
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }]
  const tools = toolNames.map((name): Anthropic.Tool => ({ name, input_schema: { type: 'object' } }))
  const responses: ModelResponse[] = []
  for (;;) {
    const request = { model: 'any', max_tokens: 1000, messages, tools }
    const message = await (stream ? client.messages.stream(request).finalMessage() : client.messages.create(request))
    const calls = message.content.filter((block) => block.type === 'tool_use')
    responses.push({
      text: message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
      calls: calls.map((call) => ({ tool: call.name, arguments: call.input })),
      usage: {
        inputTokens: message.usage.input_tokens,
        cacheReadTokens: message.usage.cache_read_input_tokens ?? 0,
        cacheWriteTokens: message.usage.cache_creation_input_tokens ?? 0,
        outputTokens: message.usage.output_tokens,
      },
      refusal: message.stop_reason === 'refusal' ? (message.stop_details?.explanation ?? '') : null,
    })
    if (message.stop_reason !== 'tool_use') return responses
    messages.push({ role: 'assistant', content: message.content })
    const results = calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: 'ok' }) as const)
    messages.push({ role: 'user', content: results })
  }
}

const withCompletions: Converse = async (prompt, { stream = false, maxRetries = 0 } = {}) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }]
  const tools = toolNames.map((name) => ({ type: 'function', function: { name, parameters: {} } }) as const)
  const responses: ModelResponse[] = []
  for (;;) {
    const request = { model: 'any', messages, tools }
    const completion = await (stream
      ? client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion()
      : client.chat.completions.create(request))
    const choice = completion.choices[0]
    if (!choice) throw new Error('The response has no choice.')
    const calls = (choice.message.tool_calls ?? []).filter((call) => call.type === 'function')
    const details = completion.usage?.prompt_tokens_details
    const cacheReadTokens = details?.cached_tokens ?? 0
    const cacheWriteTokens = details?.cache_write_tokens ?? 0
    responses.push({
      text: choice.message.content ?? '',
      calls: calls.map((call) => ({ tool: call.function.name, arguments: argumentsOf(call.function.arguments) })),
      usage: {
        inputTokens: (completion.usage?.prompt_tokens ?? 0) - cacheReadTokens - cacheWriteTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens: completion.usage?.completion_tokens ?? 0,
      },
      refusal: choice.message.refusal,
    })
    if (choice.finish_reason !== 'tool_calls') return responses
    messages.push(choice.message)
    messages.push(...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'ok' }) as const))
  }
}

const withResponses: Converse = async (prompt, { stream = false, maxRetries = 0 } = {}) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries })
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: prompt }]
  const tools = toolNames.map((name) => ({ type: 'function', name, parameters: {}, strict: false }) as const)
  const responses: ModelResponse[] = []
  for (;;) {
    const request = { model: 'any', input, tools, store: false }
    const response: OpenAI.Responses.Response = await (stream
      ? client.responses.stream(request).finalResponse()
      : client.responses.create({ ...request, stream: false }))
    const calls = response.output.filter((item) => item.type === 'function_call')
    const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
    const { cached_tokens: cacheReadTokens = 0, cache_write_tokens: cacheWriteTokens = 0 } =
      response.usage?.input_tokens_details ?? {}
    responses.push({
      text: response.output_text,
      calls: calls.map((call) => ({ tool: call.name, arguments: argumentsOf(call.arguments) })),
      usage: {
        inputTokens: (response.usage?.input_tokens ?? 0) - cacheReadTokens - cacheWriteTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens: response.usage?.output_tokens ?? 0,
      },
      refusal: parts.find((part) => part.type === 'refusal')?.refusal ?? null,
    })
    if (calls.length === 0) return responses
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
    input.push(...calls.map((call) => ({ type: 'function_call_output', call_id: call.call_id, output: 'ok' }) as const))
  }
}

function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** The number makes each conversation a new one for the fault counter. */
let conversations = 0
function prompt(script: Script): string {
  conversations += 1
  return `Conversation ${conversations}\n\`\`\`script\n${JSON.stringify(script)}\n\`\`\``
}

async function failure(promise: Promise<unknown>): Promise<Error & { status?: number; headers?: Headers }> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )
}

async function lastCall(): Promise<LoggedModelCall | undefined> {
  const response = await fetch(`${url}/calls`)
  return ((await response.json()) as LoggedModelCall[]).at(-1)
}

const formats = [
  ['anthropic-messages', withAnthropic],
  ['openai-completions', withCompletions],
  ['openai-responses', withResponses],
] as const
const variants = formats.flatMap(([wire, converse]) => [
  { wire, converse, stream: false, title: `${wire}, complete` },
  { wire, converse, stream: true, title: `${wire}, streamed` },
])

describe.each(variants)('$title', ({ wire, converse, stream }) => {
  const usage: Usage = { inputTokens: 900, cacheReadTokens: 70, cacheWriteTokens: 30, outputTokens: 12 }
  const write = {
    tool: 'write',
    arguments: { path: 'docs/ä.md', content: '# Ä "quoted" 👍\n\nWith some text in it.\n' },
  }

  it('plays a script to its end and reports its usage', async () => {
    const ls = { tool: 'ls', arguments: {} }
    const script: Script = [
      { call: [ls, write], usage },
      { say: 'Once more.', call: [ls], usage },
      { say: 'Done', usage },
    ]
    expect(await converse(prompt(script), { stream })).toEqual([
      { text: '', calls: [ls, write], usage, refusal: null },
      { text: 'Once more.', calls: [ls], usage, refusal: null },
      { text: 'Done', calls: [], usage, refusal: null },
    ])
  })

  it('records calls', async () => {
    await converse(prompt([{ say: 'Done', usage }]), { stream })
    const call = await lastCall()
    expect(call).toMatchObject({
      wire,
      request: { model: 'any', stream, messages: 1, toolsOffered: toolNames },
      playback: { script: 'inline', step: 0, fault: null, usage },
      status: 200,
      outcome: 'completed',
    })
    expect(call?.headerNames).toContain('authorization')
    expect(call?.bodyKeys).toContain('model')
  })

  it('exceeds its rate limit twice, then continues', async () => {
    const script: Script = [{ say: 'Done', fault: { kind: 'status', status: 429, retryAfterSeconds: 1, times: 2 } }]
    const promptText = prompt(script)
    const error = await failure(converse(promptText, { stream }))
    expect(error.status).toBe(429)
    expect(error.headers?.get('retry-after')).toBe('1')
    expect(await lastCall()).toMatchObject({ status: 429, outcome: 'rejected', playback: { usage: null } })
    expect(await converse(promptText, { stream, maxRetries: 1 })).toMatchObject([{ text: 'Done' }])
  })

  it.each([
    [401, 401],
    [500, 500],
    [529, wire === 'anthropic-messages' ? 529 : 503],
  ] as const)('fails with %i, then continues', async (status, expected) => {
    const promptText = prompt([{ say: 'Done', fault: { kind: 'status', status } }])
    expect((await failure(converse(promptText, { stream }))).status).toBe(expected)
    expect(await converse(promptText, { stream })).toMatchObject([{ text: 'Done' }])
  })

  it('closes the connection during a response, then continues', async () => {
    const promptText = prompt([
      { say: 'A text of several chunks. '.repeat(10), fault: { kind: 'cut', afterChunks: 4 } },
    ])
    expect((await failure(converse(promptText, { stream }))).status).toBeUndefined()
    expect(await lastCall()).toMatchObject({ outcome: 'cut' })
    expect(await converse(promptText, { stream })).toHaveLength(1)
  })

  it('is silent for a while', async () => {
    const promptText = prompt([{ say: 'Done', fault: { kind: 'silence', afterChunks: 2, milliseconds: 300 } }])
    const startedAt = performance.now()
    expect(await converse(promptText, { stream })).toMatchObject([{ text: 'Done' }])
    expect(performance.now() - startedAt).toBeGreaterThan(290)
  })

  it('pauses before each chunk', async () => {
    const promptText = prompt([
      { say: 'A text of several chunks. '.repeat(10), fault: { kind: 'drip', milliseconds: 20 } },
    ])
    const startedAt = performance.now()
    expect(await converse(promptText, { stream })).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThan(180)
  })

  it('returns a refusal', async () => {
    expect(await converse(prompt([{ refuse: 'No.' }]), { stream })).toMatchObject([{ text: '', refusal: 'No.' }])
  })

  it('returns a huge response', async () => {
    const responses = await converse(prompt([{ sayBytes: 3_000_000 }]), { stream })
    expect(responses.map(({ text }) => text.length)).toEqual([3_000_000])
  })
})

describe('a malformed call', () => {
  const script: Script = [{ call: [{ tool: 'ls', malformedArguments: '{"path": "do' }] }, { say: 'Done' }]

  it.each([
    ['openai-completions', withCompletions],
    ['openai-responses', withResponses],
  ])('is sent unchanged: %s, complete', async (_, converse) => {
    expect((await converse(prompt(script)))[0]?.calls).toEqual([{ tool: 'ls', arguments: '{"path": "do' }])
  })

  it('is sent unchanged: anthropic-messages, streamed', async () => {
    const client = new Anthropic({ baseURL: url, apiKey: 'any' })
    const stream = await client.messages.create({
      model: 'any',
      max_tokens: 1000,
      stream: true,
      messages: [{ role: 'user', content: prompt(script) }],
      tools: [{ name: 'ls', input_schema: { type: 'object' } }],
    })
    let json = ''
    for await (const event of stream) {
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
        json += event.delta.partial_json
    }
    expect(json).toBe('{"path": "do')
  })
})

describe('the server', () => {
  const anthropicHeaders = { 'anthropic-version': '2023-06-01', 'x-api-key': 'any' }
  const body = JSON.stringify({ model: 'any', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] })

  it('lists the scripts as models, for both providers', async () => {
    const anthropic = await new Anthropic({ baseURL: url, apiKey: 'any' }).models.list()
    const openai = await new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).models.list()
    expect(anthropic.data.map(({ id }) => id)).toContain('scripted/rate-limited')
    expect(openai.data.map(({ id }) => id)).toEqual(anthropic.data.map(({ id }) => id))
  })

  it.each([
    ['/v1/messages', { 'anthropic-version': '2023-06-01' }, 401],
    ['/v1/messages', { 'x-api-key': 'any' }, 400],
    ['/v1/messages', { ...anthropicHeaders, 'x-api-key': '', authorization: 'Bearer any' }, 200],
    ['/v1/chat/completions', {}, 401],
    ['/v1/responses', { authorization: 'Basic any' }, 401],
  ])('requires the credentials of the provider: %s %o', async (path, headers, expected) => {
    expect((await fetch(url + path, { method: 'POST', headers, body })).status).toBe(expected)
  })

  it.each([
    ['invalid JSON', 'nonsense', 'not valid JSON'],
    ['an unknown field', '{"x": 1}', 'Extra inputs'],
    ['an invalid script', body.replace('hi', '```script\\n[]\\n```'), 'not a list of steps'],
  ])('rejects requests like Anthropic: %s', async (_, sent, message) => {
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers: anthropicHeaders, body: sent })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
      request_id: response.headers.get('request-id'),
    })
    expect(await lastCall()).toMatchObject({ status: 400, outcome: 'rejected', playback: null })
  })

  it('rejects requests like OpenAI', async () => {
    const headers = { authorization: 'Bearer any' }
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('x-request-id')]).toEqual([400, expect.stringMatching(/^req_/)])
    expect(await response.json()).toEqual({
      error: {
        message: "Unknown parameter: 'max_tokens'.",
        type: 'invalid_request_error',
        param: 'max_tokens',
        code: 'unknown_parameter',
      },
    })
  })

  it('rejects a request that is too large', async () => {
    const sent = 'x'.repeat(33 * 1024 * 1024)
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers: anthropicHeaders, body: sent }).catch(
      () => undefined, // the client may still be sending when the connection closes after the response
    )
    expect([413, undefined]).toContain(response?.status)
    expect(await lastCall()).toMatchObject({ status: 413, outcome: 'rejected' })
  })

  it.each([
    ['GET', '/v1/messages'],
    ['POST', '/v1/embeddings'],
    ['GET', '//'],
  ])('responds with 404 to %s %s', async (method, path) => {
    expect((await fetch(url + path, { method })).status).toBe(404)
  })

  it.each([
    ['during a silence', { say: 'Done', fault: { kind: 'silence', afterChunks: 2, milliseconds: 600_000 } }],
    ['during a huge response', { sayBytes: 60_000_000 }],
  ] satisfies [string, Script[number]][])('notices a disconnected client %s', async (_, step) => {
    const abort = new AbortController()
    const sent = JSON.stringify({
      ...JSON.parse(body),
      stream: true,
      messages: [{ role: 'user', content: prompt([step]) }],
    })
    const request = { method: 'POST', headers: anthropicHeaders, body: sent, signal: abort.signal }
    const response = await fetch(`${url}/v1/messages`, request)
    await response.body?.getReader().read()
    abort.abort()
    await expect.poll(lastCall).toMatchObject({ outcome: 'client_gone' })
  })

  it('lists calls since a sequence number', async () => {
    const before = (await lastCall())?.sequence ?? 0
    await withAnthropic('script: answer')
    const calls = await (await fetch(`${url}/calls?since=${before}`)).json()
    expect(calls).toMatchObject([{ sequence: before + 1, playback: { script: 'answer' } }])
    expect((await fetch(`${url}/calls?since=yesterday`)).status).toBe(400)
  })
})
