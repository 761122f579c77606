import Type from 'typebox'
import type { Usage } from '../../models/model.ts'
import { countOf, type Json, objectOf } from './json.ts'
import { anthropicErrorBody } from './model-error.ts'
import { readFault } from './provider-error.ts'
import { FreeObject, refuseReferences, toolName } from './tool-schema.ts'
import type { Wire } from './wire.ts'

const { Optional: May, Literal: Is, Array: List } = Type

/** How long is left out: an hour costs more than what a price per token says. */
const cached = { cache_control: May(Type.Object({ type: Is('ephemeral') })) }

const Text = Type.Object({ type: Is('text'), text: Type.String(), ...cached })
const Image = Type.Object({
  type: Is('image'),
  source: Type.Object({
    type: Is('base64'),
    media_type: Type.Enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  }),
  ...cached,
})
const Content = Type.Union([
  Text,
  Image,
  Type.Object({ type: Is('thinking'), thinking: Type.String(), signature: Type.String() }),
  Type.Object({ type: Is('redacted_thinking'), data: Type.String() }),
  Type.Object({ type: Is('tool_use'), id: Type.String(), name: toolName, input: FreeObject, ...cached }),
  Type.Object({
    type: Is('tool_result'),
    tool_use_id: Type.String(),
    content: May(Type.Union([Type.String(), List(Type.Union([Text, Image]))])),
    is_error: May(Type.Boolean()),
    ...cached,
  }),
])

const Tool = Type.Object({
  type: May(Is('custom')),
  name: toolName,
  description: May(Type.String()),
  input_schema: FreeObject,
  strict: May(Type.Boolean()),
  eager_input_streaming: May(Type.Boolean()),
  ...cached,
})

const display = May(Type.Enum(['summarized', 'omitted']))

const Request = Type.Object({
  max_tokens: Type.Integer({ minimum: 1 }),
  messages: List(
    Type.Object({ role: Type.Enum(['user', 'assistant']), content: Type.Union([Type.String(), List(Content)]) }),
  ),
  system: May(Type.Union([Type.String(), List(Text)])),
  tools: May(List(Tool)),
  tool_choice: May(
    Type.Object({
      type: Type.Enum(['auto', 'any', 'none', 'tool']),
      name: May(toolName),
      disable_parallel_tool_use: May(Type.Boolean()),
    }),
  ),
  thinking: May(
    Type.Union([
      Type.Object({ type: Is('enabled'), budget_tokens: Type.Integer({ minimum: 1 }), display }),
      Type.Object({ type: Is('adaptive'), display }),
      Type.Object({ type: Is('disabled') }),
    ]),
  ),
  output_config: May(Type.Object({ effort: May(Type.String({ pattern: '^[a-z]{1,20}$' })) })),
  temperature: May(Type.Number()),
  top_p: May(Type.Number()),
  top_k: May(Type.Integer()),
  stop_sequences: May(List(Type.String())),
  stream: May(Type.Boolean()),
})

export const anthropicMessages: Wire = {
  format: 'anthropic-messages',
  path: '/messages',
  Request,
  smallest: { max_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }] },

  rebuild(known, { providerModel, maxOutputTokens }) {
    const request = known as Type.Static<typeof Request>
    refuseReferences((request.tools ?? []).map((tool) => tool.input_schema))
    const most = Math.min(request.max_tokens, maxOutputTokens)
    const stream = request.stream === true
    return { body: { ...request, model: providerModel, max_tokens: most, stream }, stream, maxOutputTokens: most }
  },

  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),

  usageIn(value) {
    // What a message starts with is also called usage, but its output is only the first word.
    if (value.type === 'message_start') return inputOf(objectOf(objectOf(value.message)?.usage))
    const usage = objectOf(value.usage)
    const outputTokens = countOf(usage?.output_tokens)
    return { ...inputOf(usage), ...(outputTokens !== undefined && { outputTokens }) }
  },

  isLast: (_event, value) => value?.type === 'message_stop',
  faultIn: (value) => (value.type === 'error' ? readFault(value) : undefined),
  errorBody: anthropicErrorBody,
  errorEvent: (error) => ({ name: 'error', data: JSON.stringify(anthropicErrorBody(error)) }),
}

/** What is not said, or is null, was said before. */
function inputOf(usage: Json | undefined): Partial<Usage> {
  const inputTokens = countOf(usage?.input_tokens)
  const cacheReadTokens = countOf(usage?.cache_read_input_tokens)
  const cacheWriteTokens = countOf(usage?.cache_creation_input_tokens)
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  }
}
