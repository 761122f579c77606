import Type from 'typebox'
import { objectOf } from './json.ts'
import { openaiErrorBody } from './model-error.ts'
import { effort, imageData, imageDetail, openaiHeaders, usageOf } from './openai.ts'
import { readFault } from './provider-error.ts'
import { FreeObject, refuseReferences, toolName } from './tool-schema.ts'
import type { Wire } from './wire.ts'

const { Optional: May, Literal: Is, Array: List } = Type

const InputText = Type.Object({ type: Is('input_text'), text: Type.String() })
const InputImage = Type.Object({ type: Is('input_image'), image_url: imageData, detail: imageDetail })
const Content = Type.Union([
  InputText,
  InputImage,
  Type.Object({ type: Is('output_text'), text: Type.String() }),
  Type.Object({ type: Is('refusal'), refusal: Type.String() }),
])

const id = May(Type.String({ maxLength: 100 }))
const status = May(Type.Enum(['in_progress', 'completed', 'incomplete']))
const nullableText = May(Type.Union([Type.String(), Type.Null()]))

const Item = Type.Union([
  Type.Object({
    type: May(Is('message')),
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: Type.Union([Type.String(), List(Content)]),
    id,
    status,
    phase: May(Type.Enum(['commentary', 'final_answer'])),
  }),
  Type.Object({
    type: Is('function_call'),
    call_id: Type.String(),
    name: toolName,
    arguments: Type.String(),
    id,
    status,
  }),
  Type.Object({
    type: Is('function_call_output'),
    call_id: Type.String(),
    output: Type.Union([Type.String(), List(Type.Union([InputText, InputImage]))]),
    id,
    status,
  }),
  Type.Object({
    type: Is('reasoning'),
    id,
    summary: List(Type.Object({ type: Is('summary_text'), text: Type.String() })),
    content: May(Type.Union([List(Type.Object({ type: Is('reasoning_text'), text: Type.String() })), Type.Null()])),
    encrypted_content: nullableText,
  }),
])

const Request = Type.Object({
  input: Type.Union([Type.String(), List(Item)]),
  instructions: nullableText,
  tools: May(
    List(
      Type.Object({
        type: Is('function'),
        name: toolName,
        description: nullableText,
        parameters: May(Type.Union([FreeObject, Type.Null()])),
        strict: May(Type.Union([Type.Boolean(), Type.Null()])),
      }),
    ),
  ),
  tool_choice: May(
    Type.Union([Type.Enum(['auto', 'none', 'required']), Type.Object({ type: Is('function'), name: toolName })]),
  ),
  parallel_tool_calls: May(Type.Boolean()),
  reasoning: May(
    Type.Object({
      effort: May(Type.Union([effort, Type.Null()])),
      summary: May(Type.Enum(['auto', 'concise', 'detailed'])),
    }),
  ),
  include: May(List(Is('reasoning.encrypted_content'))),
  text: May(Type.Object({ verbosity: May(Type.Enum(['low', 'medium', 'high'])) })),
  max_output_tokens: May(Type.Integer({ minimum: 1 })),
  temperature: May(Type.Number()),
  top_p: May(Type.Number()),
  prompt_cache_key: May(Type.String()),
  stream: May(Type.Boolean()),
})

export const openaiResponses: Wire = {
  format: 'openai-responses',
  path: '/responses',
  Request,
  smallest: { max_output_tokens: 16, input: 'Say OK.' },

  rebuild(known, { providerModel, maxOutputTokens, cacheKey }) {
    const { prompt_cache_key, ...request } = known as Type.Static<typeof Request>
    refuseReferences((request.tools ?? []).map((tool) => tool.parameters ?? undefined))
    const most = Math.min(request.max_output_tokens ?? maxOutputTokens, maxOutputTokens)
    const stream = request.stream === true
    return {
      body: {
        ...request,
        ...(Array.isArray(request.input) && { input: request.input.map(withAnnotations) }),
        model: providerModel,
        max_output_tokens: most,
        ...(prompt_cache_key !== undefined && { prompt_cache_key: cacheKey }),
        store: false, // unless told so, OpenAI keeps every answer for a month
        stream,
      },
      stream,
      maxOutputTokens: most,
    }
  },

  headers: openaiHeaders,
  usageIn: (value) => usageOf(objectOf((objectOf(value.response) ?? value).usage) ?? {}, 'input', 'output'),
  isLast: (_event, value) => value?.type === 'response.completed' || value?.type === 'response.incomplete',
  faultIn(value) {
    if (value.type === 'error') return readFault(value)
    const response = objectOf(value.response) ?? value
    return response.status === 'failed' || response.error ? readFault(response) : undefined
  },
  errorBody: openaiErrorBody,
  errorEvent(error) {
    const { code, message, param } = openaiErrorBody(error).error
    return { name: 'error', data: JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 }) }
  },
}

/** The vendor wants the list, which only its own web search would fill. */
function withAnnotations(item: Type.Static<typeof Item>) {
  if (!('content' in item) || !Array.isArray(item.content)) return item
  const content = item.content.map((part) => (part.type === 'output_text' ? { ...part, annotations: [] } : part))
  return { ...item, content }
}
