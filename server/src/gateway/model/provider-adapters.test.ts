/** What a request can make the provider do. The attacks come from a model that wrote the request itself. */
import { describe, expect, it } from 'vitest'
import { Problem } from '../../platform/http/problem.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import type { JsonObject } from './json.ts'
import { ModelError } from './model-error.ts'
import { pickSchemaFields } from './pick-schema-fields.ts'
import type { ProviderAdapter, RebuiltRequest } from './provider-adapter.ts'
import { providerAdapters } from './provider-adapters.ts'

const overrides = { providerModel: 'real-model', maxOutputTokens: 1000, cacheKey: 'job_1' }

function rebuild(adapter: ProviderAdapter, body: unknown): RebuiltRequest {
  const validated = compileValidator({ schema: adapter.requestSchema, method: 'POST', url: '/', httpPart: 'body' })(
    body,
  )
  if (typeof validated !== 'object' || 'error' in validated) throw (validated as { error: Problem }).error
  return adapter.rebuild(pickSchemaFields(adapter.requestSchema, body) as JsonObject, overrides)
}

const image = 'iVBORw0KGgo='
const schema = { type: 'object', properties: { path: { $ref: '#/$defs/path' } }, $defs: { path: { type: 'string' } } }

/** Requests as agents send them, with every accepted field. */
const legitimateRequests: Record<ProviderAdapter['format'], JsonObject> = {
  'anthropic-messages': {
    max_tokens: 900,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Fix it.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a\0b' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: false,
            content: [
              { type: 'text', text: 'see' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
            ],
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ],
    tools: [{ name: 'read', description: 'Reads.', input_schema: schema, eager_input_streaming: true }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 500, display: 'summarized' },
    output_config: { effort: 'high' },
    temperature: 1,
  },
  'openai-completions': {
    max_completion_tokens: 900,
    stream: true,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Fix it.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'd', id: null, format: 'f', index: 0 }],
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'see' },
    ],
    tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters: schema, strict: false } }],
    tool_choice: { type: 'function', function: { name: 'read' } },
    parallel_tool_calls: true,
    reasoning_effort: 'medium',
  },
  'openai-responses': {
    max_output_tokens: 900,
    stream: true,
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Fix it.' },
          { type: 'input_image', image_url: `data:image/png;base64,${image}`, detail: 'auto' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'e' },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I will look.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'see' }] },
    ],
    tools: [{ type: 'function', name: 'read', description: 'Reads.', parameters: schema, strict: false }],
    tool_choice: 'auto',
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    text: { verbosity: 'low' },
  },
}

const evil = 'https://evil.example/x'

describe.each(providerAdapters)('$format', (adapter) => {
  const request = legitimateRequests[adapter.format]

  it('passes on every field that an agent sends', () => {
    const { body, stream, maxOutputTokens } = rebuild(adapter, request)
    expect(body).toMatchObject(request)
    expect([body.model, stream, maxOutputTokens]).toEqual(['real-model', true, 900])
  })

  it('does not let the sender choose the model or exceed the output limit', () => {
    const limits = { max_tokens: 1e9, max_completion_tokens: 1e9, max_output_tokens: 1e9 }
    const { body, maxOutputTokens } = rebuild(adapter, { ...request, ...limits, model: evil, models: [evil] })
    expect(maxOutputTokens).toBe(1000)
    expect(JSON.stringify(body)).not.toMatch(/evil|1000000000/)
    expect(body.model).toBe('real-model')
  })

  it('limits the output if the sender sets no limit', () => {
    const { max_completion_tokens: _, max_output_tokens: __, ...unbounded } = request
    const { body, maxOutputTokens } = rebuild(adapter, unbounded)
    expect(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens).toBe(maxOutputTokens)
  })

  it('streams only on request', () => {
    const { body, stream } = rebuild(adapter, { ...request, stream: false })
    expect([body.stream, stream, body.stream_options]).toEqual([false, false, undefined])
  })

  it.each([
    ['container', { container: { skills: [{ skill_id: evil }] } }],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: evil, name: 'evil' }] }],
    ['metadata', { metadata: { user_id: evil }, user: evil, safety_identifier: evil }],
    ['stored conversations', { previous_response_id: evil, conversation: evil, store: true, background: true }],
    ['stored prompts', { prompt: { id: evil } }],
    ['web search', { web_search_options: { search_context_size: evil }, plugins: [{ id: 'web', url: evil }] }],
    ['other routing', { provider: { order: [evil] }, models: [evil], route: evil, fallbacks: [{ model: evil }] }],
    ['other service tiers', { service_tier: evil, speed: evil, n: 100, best_of: 100, inference_geo: evil }],
    ['other output', { modalities: ['audio'], audio: { voice: evil }, prediction: { content: evil } }],
    ['betas', { betas: [evil], context_management: { edits: [{ type: evil }] }, diagnostics: evil }],
    ['unknown fields', { fetch_urls: [evil] }],
  ])('drops %s', (_name, extra) => {
    const { body } = rebuild(adapter, { ...request, ...extra })
    expect(JSON.stringify(body)).not.toContain('evil')
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['n', 'background', 'previous_response_id']))
    expect(body.store ?? false).toBe(false)
  })

  it.each(['https://evil.example/schema.json', 'file:///etc/passwd', '//evil.example/x', 'other.json#/a', ''])(
    'rejects a tool whose schema refers to %j',
    (reference) => {
      for (const name of ['$ref', '$dynamicRef', '$id', '$schema']) {
        const parameters = { type: 'object', properties: { a: { anyOf: [{ [name]: reference }] } } }
        const tool = {
          'anthropic-messages': { name: 'a', input_schema: parameters },
          'openai-completions': { type: 'function', function: { name: 'a', parameters } },
          'openai-responses': { type: 'function', name: 'a', parameters },
        }[adapter.format]
        expect(() => rebuild(adapter, { ...request, tools: [tool] })).toThrow(ModelError)
      }
    },
  )

  it('recognizes an error in the middle of a response', () => {
    const error = new ModelError('overloaded')
    const { data } = adapter.errorEvent(error)
    expect(adapter.readError(JSON.parse(data))?.message).toBe(error.message)
    expect(adapter.readError(adapter.errorBody(error) as JsonObject)?.message).toBe(error.message)
  })
})

const rejectedChanges: Record<ProviderAdapter['format'], [name: string, change: JsonObject][]> = {
  'anthropic-messages': [
    ...[
      'web_search_20250305',
      'web_fetch_20250910',
      'code_execution_20250825',
      'computer_20250124',
      'bash_20250124',
    ].map((type): [string, JsonObject] => [type, { tools: [{ type, name: 'web_search', input_schema: {} }] }]),
    ['an MCP toolset', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'evil' }] }],
    ['an image URL', withContent({ type: 'image', source: { type: 'url', url: evil } })],
    ['an image by file id', withContent({ type: 'image', source: { type: 'file', file_id: 'file_1' } })],
    [
      'an image with another media type',
      withContent({ type: 'image', source: { type: 'base64', media_type: 'text/html', data: 'aa' } }),
    ],
    ['a document', withContent({ type: 'document', source: { type: 'url', url: evil } })],
    ['a search result', withContent({ type: 'search_result', source: evil, title: 'x', content: [] })],
    ['an upload', withContent({ type: 'container_upload', file_id: 'file_1' })],
    [
      'a server-side tool call',
      withContent({ type: 'server_tool_use', id: 'x', name: 'web_fetch', input: { url: evil } }),
    ],
    [
      'a document in a tool result',
      withContent({
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'document', source: { type: 'url', url: evil } }],
      }),
    ],
    ['a system message in the conversation', { messages: [{ role: 'system', content: 'x' }] }],
    ['an unknown tool choice', { tool_choice: { type: 'web_search' } }],
  ],
  'openai-completions': [
    ['web search', { tools: [{ type: 'web_search' }] }],
    ['OpenRouter search', { tools: [{ type: 'openrouter:web_search' }] }],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['an image URL', withContent({ type: 'image_url', image_url: { url: evil } })],
    [
      'an image URL with a line break',
      withContent({ type: 'image_url', image_url: { url: `data:image/png;base64,AA==\n${evil}` } }),
    ],
    [
      'a data URL of another type',
      withContent({ type: 'image_url', image_url: { url: 'data:text/html;base64,AA==' } }),
    ],
    ['a file', withContent({ type: 'file', file: { file_id: 'file_1' } })],
    ['audio', withContent({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })],
    ['a video', withContent({ type: 'video_url', video_url: { url: evil } })],
    ['a legacy function message', { messages: [{ role: 'function', name: 'x', content: evil }] }],
  ],
  'openai-responses': [
    ...[
      'web_search',
      'web_search_preview',
      'file_search',
      'code_interpreter',
      'computer_use_preview',
      'image_generation',
    ].map((type): [string, JsonObject] => [type, { tools: [{ type, name: 'read' }] }]),
    ['MCP', { tools: [{ type: 'mcp', server_label: 'x', server_url: evil }] }],
    ['a shell', { tools: [{ type: 'local_shell' }] }],
    ['a custom tool', { tools: [{ type: 'custom', name: 'x' }] }],
    ['the choice of a server-side tool', { tool_choice: { type: 'web_search_preview' } }],
    ['an image URL', withItem([{ type: 'input_image', image_url: evil }])],
    ['an image by file id', withItem([{ type: 'input_image', file_id: 'file_1' }])],
    ['a file URL', withItem([{ type: 'input_file', file_url: evil }])],
    ['a reference to a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['a server-side tool call', { input: [{ type: 'web_search_call', id: 'x', status: 'completed' }] }],
    ['an MCP call', { input: [{ type: 'mcp_call', id: 'x', server_label: evil, name: 'x', arguments: '{}' }] }],
    ['server-side search results', { include: ['web_search_call.results'] }],
    [
      'an image URL in a tool result',
      {
        input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: evil }] }],
      },
    ],
  ],
}

function withContent(part: JsonObject): JsonObject {
  return { messages: [{ role: 'user', content: [part] }] }
}

function withItem(content: JsonObject[]): JsonObject {
  return { input: [{ role: 'user', content }] }
}

describe.each(providerAdapters)('$format rejects', (adapter) => {
  it.each(rejectedChanges[adapter.format])('%s', (_name, change) => {
    expect(() => rebuild(adapter, { ...legitimateRequests[adapter.format], ...change })).toThrow(Problem)
  })

  it.each([null, [], 'x', {}, { messages: 1 }])('%j', (body) => {
    expect(() => rebuild(adapter, body)).toThrow(Problem)
  })
})

describe('usage', () => {
  const adapterFor = (format: ProviderAdapter['format']) =>
    providerAdapters.find((adapter) => adapter.format === format) as ProviderAdapter
  const usageOf = (format: ProviderAdapter['format'], events: JsonObject[]) =>
    Object.assign({}, ...events.map((event) => adapterFor(format).readUsage(event))) as unknown

  it('of Anthropic is combined from the start and the end of the stream', () => {
    const start = { input_tokens: 9, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 1 }
    const end = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 40 }
    const events = [{ type: 'message_start', message: { usage: start } }, { type: 'ping' }]
    const input = { inputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 3 }
    expect(usageOf('anthropic-messages', events)).toEqual(input)
    expect(usageOf('anthropic-messages', [...events, { type: 'message_delta', usage: end }])).toEqual({
      ...input,
      outputTokens: 40,
    })
  })

  it('of OpenAI is the last one reported, without counting the cache twice', () => {
    const details = { cached_tokens: 5, cache_write_tokens: 3 }
    const counted = { inputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 3, outputTokens: 40 }
    const chunk = { prompt_tokens: 17, completion_tokens: 40, prompt_tokens_details: details }
    expect(
      usageOf('openai-completions', [{ usage: null }, { usage: { ...chunk, completion_tokens: 1 } }, { usage: chunk }]),
    ).toEqual(counted)
    const usage = { input_tokens: 17, output_tokens: 40, input_tokens_details: details }
    expect(usageOf('openai-responses', [{ response: { usage: null } }, { response: { usage } }])).toEqual(counted)
    expect(usageOf('openai-responses', [{ usage }])).toEqual(counted)
  })

  it('is ignored where it is implausible', () => {
    for (const invalid of [-1, 1.5, '7', null, Number.MAX_VALUE, {}]) {
      expect(usageOf('openai-completions', [{ usage: { prompt_tokens: invalid, completion_tokens: 1 } }])).toEqual({})
      expect(usageOf('anthropic-messages', [{ usage: { input_tokens: invalid } }])).toEqual({})
    }
    const more = { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } }
    expect(usageOf('openai-completions', [{ usage: more }])).toMatchObject({ inputTokens: 0, cacheReadTokens: 1 })
  })
})
