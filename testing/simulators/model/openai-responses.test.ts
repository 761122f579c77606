import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { openaiResponsesFormat } from './openai-responses.ts'
import { replyFor } from './reply.ts'
import type { Step } from './script.ts'

const user = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] }
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'ls', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'c1', output: 'docs/' }
const request = { model: 'm', input: [user] }

function events(step: Step): JsonObject[] {
  const reply = replyFor(step, { requestBytes: 40, createdAtSeconds: 1, newId: (prefix) => `${prefix}id` })
  return [...openaiResponsesFormat.parseRequest(request, {}).events(reply)].map((event, index) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)\n\n$/.exec(event) ?? []
    const parsed = JSON.parse(data ?? '')
    expect(parsed).toMatchObject({ type: name, sequence_number: index })
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
    const message = { type: 'message', id: 'msg_id', role: 'assistant' }
    const text = { item_id: 'msg_id', output_index: 0, content_index: 0 }
    const functionCall = { type: 'function_call', id: 'fc_id', call_id: 'call_id', name: 'ls' }
    expect(events(step)).toMatchObject([
      { type: 'response.created', response: { id: 'resp_id', status: 'in_progress', output: [] } },
      { type: 'response.in_progress', response: { id: 'resp_id', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...message, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...text, part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', ...text, delta: 'Look.' },
      { type: 'response.output_text.done', ...text, text: 'Look.' },
      { type: 'response.content_part.done', ...text, part: { type: 'output_text', text: 'Look.' } },
      { type: 'response.output_item.done', output_index: 0, item: { ...message, status: 'completed' } },
      { type: 'response.output_item.added', output_index: 1, item: { ...functionCall, arguments: '' } },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_id', output_index: 1, delta: '{"path":"."}' },
      { type: 'response.function_call_arguments.done', item_id: 'fc_id', arguments: '{"path":"."}' },
      { type: 'response.output_item.done', output_index: 1, item: { ...functionCall, arguments: '{"path":"."}' } },
      {
        type: 'response.completed',
        response: {
          id: 'resp_id',
          status: 'completed',
          output: [{ ...message, content: [{ type: 'output_text', text: 'Look.' }] }, functionCall],
          usage: {
            input_tokens: 18,
            input_tokens_details: { cached_tokens: 6, cache_write_tokens: 7 },
            output_tokens: 8,
            total_tokens: 26,
          },
        },
      },
    ])
  })

  it('sends no usage at the start', () => {
    expect(events({ say: 'hi' })[0]?.response).not.toHaveProperty('usage')
  })

  it('sends a refusal as its own part', () => {
    expect(events({ refuse: 'No.' }).slice(3, -2)).toMatchObject([
      { type: 'response.content_part.added', part: { type: 'refusal', refusal: '' } },
      { type: 'response.refusal.delta', delta: 'No.' },
      { type: 'response.refusal.done', refusal: 'No.' },
      { type: 'response.content_part.done', part: { type: 'refusal', refusal: 'No.' } },
    ])
  })
})

describe('a request', () => {
  it('is parsed', () => {
    const tools = [{ type: 'function', name: 'ls', parameters: {} }, { type: 'web_search' }]
    const assistantMessage = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Look.' }] }
    const input = [{ role: 'developer', content: 'be brief' }, user, assistantMessage, call, result]
    expect(openaiResponsesFormat.parseRequest({ ...request, tools, input }, {})).toMatchObject({
      messageCount: 5,
      conversation: {
        model: 'm',
        toolsOffered: ['ls'],
        turns: [
          { by: 'user', text: 'hi' },
          { by: 'assistant', calls: [] },
          { by: 'assistant', calls: [{ id: 'c1', tool: 'ls' }] },
          { by: 'tool', callId: 'c1', output: 'docs/' },
        ],
      },
    })
  })

  it('may have a text as input', () => {
    expect(openaiResponsesFormat.parseRequest({ model: 'm', input: 'hi' }, {}).conversation.turns).toEqual([
      { by: 'user', text: 'hi' },
    ])
  })

  it.each<[string, JsonObject]>([
    ["Unknown parameter: 'messages'", { ...request, messages: [] }],
    ["parameter: 'model'", { input: 'hi' }],
    ["parameter: 'input'", { model: 'm' }],
    ["Invalid value: 'tool'", { ...request, input: [{ role: 'tool', content: 'hi' }] }],
    ["'input[0].content'", { ...request, input: [{ role: 'user' }] }],
    ['only function tools', { ...request, input: [{ type: 'mcp_call' }] }],
    ["'input[0].name'", { ...request, input: [{ ...call, name: undefined }] }],
    ["begins with 'fc'", { ...request, input: [{ ...call, id: 'x_1' }] }],
    ['No tool call found for function call output with call_id c1', { ...request, input: [user, result] }],
    ['No tool call found', { ...request, input: [user, call, result, result] }],
    ['No tool output found for function call c1', { ...request, input: [user, call] }],
    ['>= 16', { ...request, max_output_tokens: 15 }],
    ["Previous response with id 'r' not found", { ...request, previous_response_id: 'r' }],
    ["'tools[0].name'", { ...request, tools: [{ type: 'function' }] }],
  ])('is rejected: %s', (message, body) => {
    expect(() => openaiResponsesFormat.parseRequest(body, {})).toThrow(message)
  })
})
