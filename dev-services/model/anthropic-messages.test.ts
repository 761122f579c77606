import { describe, expect, it } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'
import type { JsonObject } from './json.ts'
import { replyFor } from './reply.ts'
import type { Step } from './script.ts'

const ask = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ls', input: {} }] }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'docs/' }] }
const text = { role: 'user', content: [{ type: 'text', text: 'hi' }] }

function events(step: Step): JsonObject[] {
  const reply = replyFor(step, { requestBytes: 40, createdAtSeconds: 1, newId: (prefix) => `${prefix}id` })
  return [...anthropicMessages.read(ask, {}).events(reply)].map((event) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)\n\n$/.exec(event) ?? []
    const parsed = JSON.parse(data ?? '')
    expect(parsed.type).toBe(name)
    return parsed
  })
}

describe('the stream', () => {
  it('says text, then calls', () => {
    const step: Step = {
      say: 'Look.',
      call: [{ tool: 'ls', arguments: { path: '.' } }],
      usage: { inputTokens: 5, cacheReadTokens: 6, cacheWriteTokens: 7, outputTokens: 8 },
    }
    expect(events(step)).toMatchObject([
      {
        type: 'message_start',
        message: {
          id: 'msg_id',
          role: 'assistant',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 5, cache_read_input_tokens: 6, cache_creation_input_tokens: 7, output_tokens: 1 },
        },
      },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Look.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_id', name: 'ls', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":"."}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use' },
        usage: { input_tokens: 5, cache_read_input_tokens: 6, cache_creation_input_tokens: 7, output_tokens: 8 },
      },
      { type: 'message_stop' },
    ])
  })

  it('refuses with a reason to stop and no content', () => {
    expect(events({ refuse: 'No.' })).toMatchObject([
      { type: 'message_start' },
      { type: 'ping' },
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'No.' } },
      },
      { type: 'message_stop' },
    ])
  })
})

describe('a request', () => {
  it('is understood', () => {
    const tools = [{ name: 'ls', input_schema: { type: 'object' } }]
    const system = { role: 'system', content: 'be brief' }
    const asked = anthropicMessages.read({ ...ask, tools, messages: [system, text, call, result], stream: true }, {})
    expect(asked).toMatchObject({
      stream: true,
      messageCount: 4,
      conversation: {
        model: 'm',
        toolsOffered: ['ls'],
        turns: [
          { by: 'user', text: 'hi' },
          { by: 'assistant', calls: [{ id: 't1', tool: 'ls' }] },
          { by: 'tool', callId: 't1', output: 'docs/' },
        ],
      },
    })
  })

  it('may bring a new instruction with the results', () => {
    const both = { role: 'user', content: [...result.content, ...text.content] }
    const { turns } = anthropicMessages.read({ ...ask, messages: [text, call, both] }, {}).conversation
    expect(turns.map((turn) => turn.by)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('may have its results in neighbouring messages', () => {
    const other = { type: 'tool_use', id: 't2', name: 'ls', input: {} }
    const calls = { role: 'assistant', content: [...call.content, other] }
    const otherResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2' }] }
    expect(anthropicMessages.read({ ...ask, messages: [text, calls, result, otherResult] }, {}).messageCount).toBe(4)
  })

  it('may have fields of a beta, if it names one', () => {
    expect(anthropicMessages.read({ ...ask, mcp_servers: [] }, { 'anthropic-beta': 'x' }).messageCount).toBe(1)
  })

  it.each<[string, JsonObject]>([
    ['mcp_servers: Extra inputs are not permitted', { ...ask, mcp_servers: [] }],
    ['model: Field required', { ...ask, model: undefined }],
    ['max_tokens: Field required', { ...ask, max_tokens: undefined }],
    ['max_tokens: Input should be greater', { ...ask, max_tokens: 0 }],
    ['messages: Field required', { ...ask, messages: undefined }],
    ['at least one message', { ...ask, messages: [] }],
    ['messages.0.role', { ...ask, messages: [{ role: 'developer', content: 'hi' }] }],
    ['non-empty content', { ...ask, messages: [{ role: 'user', content: '' }] }],
    ['non-empty content', { ...ask, messages: [{ role: 'user', content: [] }] }],
    ['must be non-empty', { ...ask, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
    ['messages.0.content.0', { ...ask, messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    ['tool_use.id', { ...ask, messages: [text, { ...call, content: [{ type: 'tool_use', name: 'ls', input: {} }] }] }],
    ['unexpected `tool_use_id`', { ...ask, messages: [result] }],
    ['unexpected `tool_use_id`', { ...ask, messages: [text, call, result, { ...call, content: 'so' }, result] }],
    ['without `tool_result`', { ...ask, messages: [text, call] }],
    ['without `tool_result`', { ...ask, messages: [text, call, text] }],
    ['can only be in `assistant`', { ...ask, messages: [{ ...call, role: 'user' }] }],
    ['can only be in `user`', { ...ask, messages: [{ ...result, role: 'assistant' }] }],
    ['tools.0.input_schema', { ...ask, tools: [{ name: 'ls' }] }],
    ['tools.0.name', { ...ask, tools: [{ name: 'l s', input_schema: {} }] }],
    [
      'must be unique',
      {
        ...ask,
        tools: [
          { name: 'ls', input_schema: {} },
          { name: 'ls', input_schema: {} },
        ],
      },
    ],
  ])('is refused: %s', (complaint, body) => {
    const sent = JSON.parse(JSON.stringify(body))
    expect(() => anthropicMessages.read(sent, {})).toThrow(complaint)
  })
})
