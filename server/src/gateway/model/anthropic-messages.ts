import Type from 'typebox'
import type { Usage } from '../../models/model.ts'
import { type JsonObject, toJsonObject, toNonNegativeInteger } from './json.ts'
import { createAnthropicErrorBody } from './model-error.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { parseProviderError } from './provider-error.ts'
import { AnyJsonObject, rejectExternalReferences, ToolName } from './tool-schema.ts'

const { Optional, Literal, Array: List } = Type

/** Without `ttl`: an hour costs more than the configured price per token. */
const cacheControl = { cache_control: Optional(Type.Object({ type: Literal('ephemeral') })) }

const Text = Type.Object({ type: Literal('text'), text: Type.String(), ...cacheControl })
const Image = Type.Object({
  type: Literal('image'),
  source: Type.Object({
    type: Literal('base64'),
    media_type: Type.Enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  }),
  ...cacheControl,
})
const Content = Type.Union([
  Text,
  Image,
  Type.Object({ type: Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
  Type.Object({ type: Literal('redacted_thinking'), data: Type.String() }),
  Type.Object({ type: Literal('tool_use'), id: Type.String(), name: ToolName, input: AnyJsonObject, ...cacheControl }),
  Type.Object({
    type: Literal('tool_result'),
    tool_use_id: Type.String(),
    content: Optional(Type.Union([Type.String(), List(Type.Union([Text, Image]))])),
    is_error: Optional(Type.Boolean()),
    ...cacheControl,
  }),
])

const Tool = Type.Object({
  type: Optional(Literal('custom')),
  name: ToolName,
  description: Optional(Type.String()),
  input_schema: AnyJsonObject,
  strict: Optional(Type.Boolean()),
  eager_input_streaming: Optional(Type.Boolean()),
  ...cacheControl,
})

const display = Optional(Type.Enum(['summarized', 'omitted']))

const Request = Type.Object({
  max_tokens: Type.Integer({ minimum: 1 }),
  messages: List(
    Type.Object({ role: Type.Enum(['user', 'assistant']), content: Type.Union([Type.String(), List(Content)]) }),
  ),
  system: Optional(Type.Union([Type.String(), List(Text)])),
  tools: Optional(List(Tool)),
  tool_choice: Optional(
    Type.Object({
      type: Type.Enum(['auto', 'any', 'none', 'tool']),
      name: Optional(ToolName),
      disable_parallel_tool_use: Optional(Type.Boolean()),
    }),
  ),
  thinking: Optional(
    Type.Union([
      Type.Object({ type: Literal('enabled'), budget_tokens: Type.Integer({ minimum: 1 }), display }),
      Type.Object({ type: Literal('adaptive'), display }),
      Type.Object({ type: Literal('disabled') }),
    ]),
  ),
  output_config: Optional(Type.Object({ effort: Optional(Type.String({ pattern: '^[a-z]{1,20}$' })) })),
  temperature: Optional(Type.Number()),
  top_p: Optional(Type.Number()),
  top_k: Optional(Type.Integer()),
  stop_sequences: Optional(List(Type.String())),
  stream: Optional(Type.Boolean()),
})

export const anthropicMessagesAdapter: ProviderAdapter = {
  format: 'anthropic-messages',
  path: '/messages',
  requestSchema: Request,
  minimalRequest: { max_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }] },

  rebuild(knownFields, { providerModel, maxOutputTokens }) {
    const request = knownFields as Type.Static<typeof Request>
    rejectExternalReferences((request.tools ?? []).map((tool) => tool.input_schema))
    const outputLimit = Math.min(request.max_tokens, maxOutputTokens)
    const stream = request.stream === true
    return {
      body: { ...request, model: providerModel, max_tokens: outputLimit, stream },
      stream,
      maxOutputTokens: outputLimit,
    }
  },

  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),

  readUsage(value) {
    // The start of a message also contains `usage`, but its output tokens are only the first ones.
    if (value.type === 'message_start') return inputUsage(toJsonObject(toJsonObject(value.message)?.usage))
    const usage = toJsonObject(value.usage)
    const outputTokens = toNonNegativeInteger(usage?.output_tokens)
    return { ...inputUsage(usage), ...(outputTokens !== undefined && { outputTokens }) }
  },

  isFinalEvent: (_event, value) => value?.type === 'message_stop',
  readError: (value) => (value.type === 'error' ? parseProviderError(value) : undefined),
  errorBody: createAnthropicErrorBody,
  errorEvent: (error) => ({ name: 'error', data: JSON.stringify(createAnthropicErrorBody(error)) }),
}

/** A field that is missing or null was reported earlier. */
function inputUsage(usage: JsonObject | undefined): Partial<Usage> {
  const inputTokens = toNonNegativeInteger(usage?.input_tokens)
  const cacheReadTokens = toNonNegativeInteger(usage?.cache_read_input_tokens)
  const cacheWriteTokens = toNonNegativeInteger(usage?.cache_creation_input_tokens)
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  }
}
