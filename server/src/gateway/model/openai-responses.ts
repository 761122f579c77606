import Type from 'typebox'
import { toJsonObject } from './json.ts'
import { createOpenaiErrorBody } from './model-error.ts'
import { createOpenaiHeaders, ImageDataUrl, ImageDetail, parseOpenaiUsage, ReasoningEffort } from './openai-shared.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { parseProviderError } from './provider-error.ts'
import { AnyJsonObject, rejectExternalReferences, ToolName } from './tool-schema.ts'

const { Optional, Literal, Array: List } = Type

const InputText = Type.Object({ type: Literal('input_text'), text: Type.String() })
const InputImage = Type.Object({ type: Literal('input_image'), image_url: ImageDataUrl, detail: ImageDetail })
const Content = Type.Union([
  InputText,
  InputImage,
  Type.Object({ type: Literal('output_text'), text: Type.String() }),
  Type.Object({ type: Literal('refusal'), refusal: Type.String() }),
])

const id = Optional(Type.String({ maxLength: 100 }))
const status = Optional(Type.Enum(['in_progress', 'completed', 'incomplete']))
const nullableText = Optional(Type.Union([Type.String(), Type.Null()]))

const Item = Type.Union([
  Type.Object({
    type: Optional(Literal('message')),
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: Type.Union([Type.String(), List(Content)]),
    id,
    status,
    phase: Optional(Type.Enum(['commentary', 'final_answer'])),
  }),
  Type.Object({
    type: Literal('function_call'),
    call_id: Type.String(),
    name: ToolName,
    arguments: Type.String(),
    id,
    status,
  }),
  Type.Object({
    type: Literal('function_call_output'),
    call_id: Type.String(),
    output: Type.Union([Type.String(), List(Type.Union([InputText, InputImage]))]),
    id,
    status,
  }),
  Type.Object({
    type: Literal('reasoning'),
    id,
    summary: List(Type.Object({ type: Literal('summary_text'), text: Type.String() })),
    content: Optional(
      Type.Union([List(Type.Object({ type: Literal('reasoning_text'), text: Type.String() })), Type.Null()]),
    ),
    encrypted_content: nullableText,
  }),
])

const Request = Type.Object({
  input: Type.Union([Type.String(), List(Item)]),
  instructions: nullableText,
  tools: Optional(
    List(
      Type.Object({
        type: Literal('function'),
        name: ToolName,
        description: nullableText,
        parameters: Optional(Type.Union([AnyJsonObject, Type.Null()])),
        strict: Optional(Type.Union([Type.Boolean(), Type.Null()])),
      }),
    ),
  ),
  tool_choice: Optional(
    Type.Union([Type.Enum(['auto', 'none', 'required']), Type.Object({ type: Literal('function'), name: ToolName })]),
  ),
  parallel_tool_calls: Optional(Type.Boolean()),
  reasoning: Optional(
    Type.Object({
      effort: Optional(Type.Union([ReasoningEffort, Type.Null()])),
      summary: Optional(Type.Enum(['auto', 'concise', 'detailed'])),
    }),
  ),
  include: Optional(List(Literal('reasoning.encrypted_content'))),
  text: Optional(Type.Object({ verbosity: Optional(Type.Enum(['low', 'medium', 'high'])) })),
  max_output_tokens: Optional(Type.Integer({ minimum: 1 })),
  temperature: Optional(Type.Number()),
  top_p: Optional(Type.Number()),
  prompt_cache_key: Optional(Type.String()),
  stream: Optional(Type.Boolean()),
})

export const openaiResponsesAdapter: ProviderAdapter = {
  format: 'openai-responses',
  path: '/responses',
  requestSchema: Request,
  minimalRequest: { max_output_tokens: 16, input: 'Say OK.' },

  rebuild(knownFields, { providerModel, maxOutputTokens, cacheKey }) {
    const { prompt_cache_key, ...request } = knownFields as Type.Static<typeof Request>
    rejectExternalReferences((request.tools ?? []).map((tool) => tool.parameters ?? undefined))
    const outputLimit = Math.min(request.max_output_tokens ?? maxOutputTokens, maxOutputTokens)
    const stream = request.stream === true
    return {
      body: {
        ...request,
        ...(Array.isArray(request.input) && { input: request.input.map(withAnnotations) }),
        model: providerModel,
        max_output_tokens: outputLimit,
        ...(prompt_cache_key !== undefined && { prompt_cache_key: cacheKey }),
        store: false, // by default OpenAI stores every response for a month
        stream,
      },
      stream,
      maxOutputTokens: outputLimit,
    }
  },

  headers: createOpenaiHeaders,
  readUsage: (value) =>
    parseOpenaiUsage(toJsonObject((toJsonObject(value.response) ?? value).usage) ?? {}, 'input', 'output'),
  isFinalEvent: (_event, value) => value?.type === 'response.completed' || value?.type === 'response.incomplete',
  readError(value) {
    if (value.type === 'error') return parseProviderError(value)
    const response = toJsonObject(value.response) ?? value
    return response.status === 'failed' || response.error ? parseProviderError(response) : undefined
  },
  errorBody: createOpenaiErrorBody,
  errorEvent(error) {
    const { code, message, param } = createOpenaiErrorBody(error).error
    return { name: 'error', data: JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 }) }
  },
}

/** OpenAI requires this list, which only its own web search would fill. */
function withAnnotations(item: Type.Static<typeof Item>) {
  if (!('content' in item) || !Array.isArray(item.content)) return item
  const content = item.content.map((part) => (part.type === 'output_text' ? { ...part, annotations: [] } : part))
  return { ...item, content }
}
