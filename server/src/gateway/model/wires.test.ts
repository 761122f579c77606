/** What a request may and may not make of the provider. The attacks are by a model that wrote the request itself. */
import { describe, expect, it } from 'vitest'
import { Problem } from '../../platform/http/problem.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import type { Json } from './json.ts'
import { knownParts } from './known-parts.ts'
import { ModelError } from './model-error.ts'
import type { Rebuilt, Wire } from './wire.ts'
import { wires } from './wires.ts'

const forced = { providerModel: 'real-model', maxOutputTokens: 1000, cacheKey: 'job_1' }

function rebuild(wire: Wire, body: unknown): Rebuilt {
  const checked = compileValidator({ schema: wire.Request, method: 'POST', url: '/', httpPart: 'body' })(body)
  if (typeof checked !== 'object' || 'error' in checked) throw (checked as { error: Problem }).error
  return wire.rebuild(knownParts(wire.Request, body) as Json, forced)
}

const image = 'iVBORw0KGgo='
const schema = { type: 'object', properties: { path: { $ref: '#/$defs/path' } }, $defs: { path: { type: 'string' } } }

/** As engines send them, with all that is taken. */
const honest: Record<Wire['format'], Json> = {
  'anthropic-messages': {
    max_tokens: 900,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Mend it.' },
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
          { type: 'text', text: 'Mend it.' },
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
          { type: 'input_text', text: 'Mend it.' },
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

describe.each(wires)('$format', (wire) => {
  const request = honest[wire.format]

  it('passes on all that an engine says', () => {
    const { body, stream, maxOutputTokens } = rebuild(wire, request)
    expect(body).toMatchObject(request)
    expect([body.model, stream, maxOutputTokens]).toEqual(['real-model', true, 900])
  })

  it('lets the sender choose neither the model nor more output than there is', () => {
    const limits = { max_tokens: 1e9, max_completion_tokens: 1e9, max_output_tokens: 1e9 }
    const { body, maxOutputTokens } = rebuild(wire, { ...request, ...limits, model: evil, models: [evil] })
    expect(maxOutputTokens).toBe(1000)
    expect(JSON.stringify(body)).not.toMatch(/evil|1000000000/)
    expect(body.model).toBe('real-model')
  })

  it('has a bound for the output where the sender gives none', () => {
    const { max_completion_tokens: _, max_output_tokens: __, ...unbounded } = request
    const { body, maxOutputTokens } = rebuild(wire, unbounded)
    expect(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens).toBe(maxOutputTokens)
  })

  it('streams only when asked to', () => {
    const { body, stream } = rebuild(wire, { ...request, stream: false })
    expect([body.stream, stream, body.stream_options]).toEqual([false, false, undefined])
  })

  it.each([
    ['container', { container: { skills: [{ skill_id: evil }] } }],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: evil, name: 'evil' }] }],
    ['metadata', { metadata: { user_id: evil }, user: evil, safety_identifier: evil }],
    ['stored conversations', { previous_response_id: evil, conversation: evil, store: true, background: true }],
    ['stored prompts', { prompt: { id: evil } }],
    ['web search', { web_search_options: { search_context_size: evil }, plugins: [{ id: 'web', url: evil }] }],
    ['other routes', { provider: { order: [evil] }, models: [evil], route: evil, fallbacks: [{ model: evil }] }],
    ['other prices', { service_tier: evil, speed: evil, n: 100, best_of: 100, inference_geo: evil }],
    ['other output', { modalities: ['audio'], audio: { voice: evil }, prediction: { content: evil } }],
    ['betas', { betas: [evil], context_management: { edits: [{ type: evil }] }, diagnostics: evil }],
    ['what nobody knows yet', { fetch_urls: [evil] }],
  ])('leaves out %s', (_what, extra) => {
    const { body } = rebuild(wire, { ...request, ...extra })
    expect(JSON.stringify(body)).not.toContain('evil')
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['n', 'background', 'previous_response_id']))
    expect(body.store ?? false).toBe(false)
  })

  it.each(['https://evil.example/schema.json', 'file:///etc/passwd', '//evil.example/x', 'other.json#/a', ''])(
    'refuses a tool whose schema refers to %j',
    (reference) => {
      for (const name of ['$ref', '$dynamicRef', '$id', '$schema']) {
        const parameters = { type: 'object', properties: { a: { anyOf: [{ [name]: reference }] } } }
        const tool = {
          'anthropic-messages': { name: 'a', input_schema: parameters },
          'openai-completions': { type: 'function', function: { name: 'a', parameters } },
          'openai-responses': { type: 'function', name: 'a', parameters },
        }[wire.format]
        expect(() => rebuild(wire, { ...request, tools: [tool] })).toThrow(ModelError)
      }
    },
  )

  it('knows the error of each vendor when it is told in the middle of an answer', () => {
    const error = new ModelError('overloaded')
    const { data } = wire.errorEvent(error)
    expect(wire.faultIn(JSON.parse(data))?.message).toBe(error.message)
    expect(wire.faultIn(wire.errorBody(error) as Json)?.message).toBe(error.message)
  })
})

const refused: Record<Wire['format'], [what: string, change: Json][]> = {
  'anthropic-messages': [
    ...[
      'web_search_20250305',
      'web_fetch_20250910',
      'code_execution_20250825',
      'computer_20250124',
      'bash_20250124',
    ].map((type): [string, Json] => [type, { tools: [{ type, name: 'web_search', input_schema: {} }] }]),
    ['an MCP toolset', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'evil' }] }],
    ['an image by address', withContent({ type: 'image', source: { type: 'url', url: evil } })],
    ['an image by file', withContent({ type: 'image', source: { type: 'file', file_id: 'file_1' } })],
    [
      'an image that is none',
      withContent({ type: 'image', source: { type: 'base64', media_type: 'text/html', data: 'aa' } }),
    ],
    ['a document', withContent({ type: 'document', source: { type: 'url', url: evil } })],
    ['a search result', withContent({ type: 'search_result', source: evil, title: 'x', content: [] })],
    ['an upload', withContent({ type: 'container_upload', file_id: 'file_1' })],
    [
      'a tool on the other side',
      withContent({ type: 'server_tool_use', id: 'x', name: 'web_fetch', input: { url: evil } }),
    ],
    [
      'a document in a result',
      withContent({
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'document', source: { type: 'url', url: evil } }],
      }),
    ],
    ['a system message in between', { messages: [{ role: 'system', content: 'x' }] }],
    ['a tool choice that is none', { tool_choice: { type: 'web_search' } }],
  ],
  'openai-completions': [
    ['web search', { tools: [{ type: 'web_search' }] }],
    ['OpenRouter search', { tools: [{ type: 'openrouter:web_search' }] }],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['an image by address', withContent({ type: 'image_url', image_url: { url: evil } })],
    [
      'an image in disguise',
      withContent({ type: 'image_url', image_url: { url: `data:image/png;base64,AA==\n${evil}` } }),
    ],
    ['another data URL', withContent({ type: 'image_url', image_url: { url: 'data:text/html;base64,AA==' } })],
    ['a file', withContent({ type: 'file', file: { file_id: 'file_1' } })],
    ['audio', withContent({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })],
    ['a video', withContent({ type: 'video_url', video_url: { url: evil } })],
    ['an old function', { messages: [{ role: 'function', name: 'x', content: evil }] }],
  ],
  'openai-responses': [
    ...[
      'web_search',
      'web_search_preview',
      'file_search',
      'code_interpreter',
      'computer_use_preview',
      'image_generation',
    ].map((type): [string, Json] => [type, { tools: [{ type, name: 'read' }] }]),
    ['MCP', { tools: [{ type: 'mcp', server_label: 'x', server_url: evil }] }],
    ['a shell', { tools: [{ type: 'local_shell' }] }],
    ['a custom tool', { tools: [{ type: 'custom', name: 'x' }] }],
    ['a choice of a tool of theirs', { tool_choice: { type: 'web_search_preview' } }],
    ['an image by address', withItem([{ type: 'input_image', image_url: evil }])],
    ['an image by file', withItem([{ type: 'input_image', file_id: 'file_1' }])],
    ['a file by address', withItem([{ type: 'input_file', file_url: evil }])],
    ['a reference to a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['a tool call of theirs', { input: [{ type: 'web_search_call', id: 'x', status: 'completed' }] }],
    ['an MCP call', { input: [{ type: 'mcp_call', id: 'x', server_label: evil, name: 'x', arguments: '{}' }] }],
    ['their search results', { include: ['web_search_call.results'] }],
    [
      'an image by address in a result',
      {
        input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: evil }] }],
      },
    ],
  ],
}

function withContent(part: Json): Json {
  return { messages: [{ role: 'user', content: [part] }] }
}

function withItem(content: Json[]): Json {
  return { input: [{ role: 'user', content }] }
}

describe.each(wires)('$format refuses', (wire) => {
  it.each(refused[wire.format])('%s', (_what, change) => {
    expect(() => rebuild(wire, { ...honest[wire.format], ...change })).toThrow(Problem)
  })

  it.each([null, [], 'x', {}, { messages: 1 }])('%j', (body) => {
    expect(() => rebuild(wire, body)).toThrow(Problem)
  })
})

describe('usage', () => {
  const wireOf = (format: Wire['format']) => wires.find((wire) => wire.format === format) as Wire
  const usageOf = (format: Wire['format'], events: Json[]) =>
    Object.assign({}, ...events.map((event) => wireOf(format).usageIn(event))) as unknown

  it('is put together from what Anthropic says at the start and at the end', () => {
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

  it('of OpenAI is the last that is said, without counting the cache twice', () => {
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

  it('is not believed where it cannot be', () => {
    for (const nonsense of [-1, 1.5, '7', null, Number.MAX_VALUE, {}]) {
      expect(usageOf('openai-completions', [{ usage: { prompt_tokens: nonsense, completion_tokens: 1 } }])).toEqual({})
      expect(usageOf('anthropic-messages', [{ usage: { input_tokens: nonsense } }])).toEqual({})
    }
    const more = { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } }
    expect(usageOf('openai-completions', [{ usage: more }])).toMatchObject({ inputTokens: 0, cacheReadTokens: 1 })
  })
})
