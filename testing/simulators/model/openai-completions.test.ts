import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { openaiCompletionsFormat } from './openai-completions.ts'
import { replyFor } from './reply.ts'
import type { Step } from './script.ts'

const user = { role: 'user', content: 'hi' }
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'c1', content: 'docs/' }
const request = { model: 'm', messages: [user] }

function chunks(step: Step, body: JsonObject = {}): JsonObject[] {
  const reply = replyFor(step, { requestBytes: 40, createdAtSeconds: 1, newId: (prefix) => `${prefix}id` })
  const events = [...openaiCompletionsFormat.parseRequest({ ...request, stream: true, ...body }, {}).events(reply)]
  expect(events.pop()).toBe('data: [DONE]\n\n')
  return events.map((event) => JSON.parse(/^data: (.*)\n\n$/.exec(event)?.[1] ?? ''))
}

const choice = (delta: JsonObject, finish_reason: string | null = null) => ({
  id: 'chatcmpl-id',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})

describe('the stream', () => {
  const step: Step = {
    say: 'Look.',
    call: [{ tool: 'ls', arguments: { path: '.' } }],
    usage: { inputTokens: 5, cacheReadTokens: 6, cacheWriteTokens: 7, outputTokens: 8 },
  }

  it('reports the usage if it is requested, unless the script omits it', () => {
    const body = { stream_options: { include_usage: true } }
    expect(chunks(step, body).at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 8 } })
    expect(chunks({ ...step, withoutUsage: true }, body).every(({ usage }) => usage === null)).toBe(true)
  })

  it('sends text, then tool calls', () => {
    const sent = chunks(step)
    expect(sent).toMatchObject([
      choice({ role: 'assistant', content: '', refusal: null }),
      choice({ content: 'Look.' }),
      choice({ tool_calls: [{ index: 0, id: 'call_id', type: 'function', function: { name: 'ls', arguments: '' } }] }),
      choice({ tool_calls: [{ index: 0, function: { arguments: '{"path":"."}' } }] }),
      choice({}, 'tool_calls'),
    ])
    expect(sent.some((chunk) => 'usage' in chunk)).toBe(false)
  })

  it('sends the usage at the end if requested', () => {
    const sent = chunks(step, { stream_options: { include_usage: true } })
    expect(sent.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
    expect(sent.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 18,
        completion_tokens: 8,
        total_tokens: 26,
        prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 7 },
      },
    })
  })

  it('sends a refusal in its own field', () => {
    expect(chunks({ refuse: 'No.' })).toMatchObject([
      choice({ role: 'assistant', content: null }),
      choice({ refusal: 'No.' }),
      choice({}, 'stop'),
    ])
  })
})

describe('a request', () => {
  it('is parsed', () => {
    const tools = [{ type: 'function', function: { name: 'ls', parameters: {} } }]
    const system = { role: 'developer', content: 'be brief' }
    const parts = { role: 'user', content: [{ type: 'text', text: 'hi' }] }
    expect(
      openaiCompletionsFormat.parseRequest({ ...request, tools, messages: [system, parts, call, result] }, {}),
    ).toMatchObject({
      stream: false,
      messageCount: 4,
      conversation: {
        model: 'm',
        toolsOffered: ['ls'],
        turns: [
          { by: 'user', text: 'hi' },
          { by: 'assistant', calls: [{ id: 'c1', tool: 'ls' }] },
          { by: 'tool', callId: 'c1', output: 'docs/' },
        ],
      },
    })
  })

  it.each<[string, JsonObject]>([
    ['Unrecognized request argument supplied: top_k', { ...request, top_k: 1 }],
    ['you must provide a model', { messages: [user] }],
    ["parameter: 'messages'", { model: 'm' }],
    ['empty array', { ...request, messages: [] }],
    ["Invalid value: 'robot'", { ...request, messages: [{ role: 'robot', content: 'hi' }] }],
    ["'content'", { ...request, messages: [{ role: 'user' }] }],
    ["'content'", { ...request, messages: [{ role: 'assistant', content: null }] }],
    ['tool_calls[0]', { ...request, messages: [user, { ...call, tool_calls: [{ id: 'c1' }] }] }],
    ['tool_call_id', { ...request, messages: [user, call, { role: 'tool', content: 'x' }] }],
    ["role 'tool' must be a response", { ...request, messages: [user, result] }],
    ["role 'tool' must be a response", { ...request, messages: [user, call, result, result] }],
    ['did not have response messages: c1', { ...request, messages: [user, call] }],
    ['did not have response messages: c1', { ...request, messages: [user, call, user] }],
    ["only allowed when 'stream'", { ...request, stream_options: { include_usage: true } }],
    ["'tools[0].function.name'", { ...request, tools: [{ type: 'function', function: {} }] }],
  ])('is rejected: %s', (message, body) => {
    expect(() => openaiCompletionsFormat.parseRequest(body, {})).toThrow(message)
  })
})
