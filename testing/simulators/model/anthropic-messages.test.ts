import { describe, expect, it } from 'vitest'
import { anthropicMessagesFormat } from './anthropic-messages.ts'
import type { JsonObject } from './json.ts'
import { replyFor } from './reply.ts'
import type { Step } from './script.ts'

const request = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ls', input: {} }] }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'docs/' }] }
const text = { role: 'user', content: [{ type: 'text', text: 'hi' }] }

function events(step: Step): JsonObject[] {
  const reply = replyFor(step, { requestBytes: 40, createdAtSeconds: 1, newId: (prefix) => `${prefix}id` })
  return [...anthropicMessagesFormat.parseRequest(request, {}).events(reply)].map((event) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)\n\n$/.exec(event) ?? []
    const parsed = JSON.parse(data ?? '')
    expect(parsed.type).toBe(name)
    return parsed
  })
}

describe('the stream', () => {
  it('sends text, then tool calls', () => {
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

  it('sends a refusal as a stop reason without content', () => {
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
  it('is parsed', () => {
    const tools = [{ name: 'ls', input_schema: { type: 'object' } }]
    const system = { role: 'system', content: 'be brief' }
    const parsed = anthropicMessagesFormat.parseRequest(
      { ...request, tools, messages: [system, text, call, result], stream: true },
      {},
    )
    expect(parsed).toMatchObject({
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

  it('may have a new instruction next to tool results', () => {
    const both = { role: 'user', content: [...result.content, ...text.content] }
    const { turns } = anthropicMessagesFormat.parseRequest(
      { ...request, messages: [text, call, both] },
      {},
    ).conversation
    expect(turns.map((turn) => turn.by)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('may have tool results in adjacent messages', () => {
    const other = { type: 'tool_use', id: 't2', name: 'ls', input: {} }
    const calls = { role: 'assistant', content: [...call.content, other] }
    const otherResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2' }] }
    expect(
      anthropicMessagesFormat.parseRequest({ ...request, messages: [text, calls, result, otherResult] }, {})
        .messageCount,
    ).toBe(4)
  })

  it('may have beta fields if it names a beta', () => {
    expect(
      anthropicMessagesFormat.parseRequest({ ...request, mcp_servers: [] }, { 'anthropic-beta': 'x' }).messageCount,
    ).toBe(1)
  })

  it.each<[string, JsonObject]>([
    ['mcp_servers: Extra inputs are not permitted', { ...request, mcp_servers: [] }],
    ['model: Field required', { ...request, model: undefined }],
    ['max_tokens: Field required', { ...request, max_tokens: undefined }],
    ['max_tokens: Input should be greater', { ...request, max_tokens: 0 }],
    ['messages: Field required', { ...request, messages: undefined }],
    ['at least one message', { ...request, messages: [] }],
    ['messages.0.role', { ...request, messages: [{ role: 'developer', content: 'hi' }] }],
    ['non-empty content', { ...request, messages: [{ role: 'user', content: '' }] }],
    ['non-empty content', { ...request, messages: [{ role: 'user', content: [] }] }],
    ['must be non-empty', { ...request, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
    ['messages.0.content.0', { ...request, messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    [
      'tool_use.id',
      { ...request, messages: [text, { ...call, content: [{ type: 'tool_use', name: 'ls', input: {} }] }] },
    ],
    ['unexpected `tool_use_id`', { ...request, messages: [result] }],
    ['unexpected `tool_use_id`', { ...request, messages: [text, call, result, { ...call, content: 'so' }, result] }],
    ['without `tool_result`', { ...request, messages: [text, call] }],
    ['without `tool_result`', { ...request, messages: [text, call, text] }],
    ['can only be in `assistant`', { ...request, messages: [{ ...call, role: 'user' }] }],
    ['can only be in `user`', { ...request, messages: [{ ...result, role: 'assistant' }] }],
    ['tools.0.input_schema', { ...request, tools: [{ name: 'ls' }] }],
    ['tools.0.name', { ...request, tools: [{ name: 'l s', input_schema: {} }] }],
    [
      'must be unique',
      {
        ...request,
        tools: [
          { name: 'ls', input_schema: {} },
          { name: 'ls', input_schema: {} },
        ],
      },
    ],
  ])('is rejected: %s', (message, body) => {
    const sent = JSON.parse(JSON.stringify(body))
    expect(() => anthropicMessagesFormat.parseRequest(sent, {})).toThrow(message)
  })
})
