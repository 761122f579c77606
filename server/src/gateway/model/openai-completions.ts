import Type from 'typebox'
import { objectOf } from './json.ts'
import { openaiErrorBody } from './model-error.ts'
import { effort, imageData, imageDetail, openaiHeaders, usageOf } from './openai.ts'
import { readFault } from './provider-error.ts'
import { FreeObject, refuseReferences, toolName } from './tool-schema.ts'
import type { Wire } from './wire.ts'

const { Optional: May, Literal: Is, Array: List } = Type

/** OpenRouter has Anthropic's; how long is left out, as there. */
const cached = { cache_control: May(Type.Object({ type: Is('ephemeral') })) }

const Text = Type.Object({ type: Is('text'), text: Type.String(), ...cached })
const Image = Type.Object({
  type: Is('image_url'),
  image_url: Type.Object({ url: imageData, detail: imageDetail }),
})
const texts = Type.Union([Type.String(), List(Text)])

/** A model's thinking, given back to it. OpenRouter's form of it is a list. */
const reasoning = {
  reasoning_content: May(Type.String()),
  reasoning: May(Type.String()),
  reasoning_text: May(Type.String()),
  reasoning_details: May(
    List(
      Type.Object({
        type: Type.Enum(['reasoning.summary', 'reasoning.encrypted', 'reasoning.text']),
        id: May(Type.Union([Type.String(), Type.Null()])),
        format: May(Type.String()),
        index: May(Type.Integer()),
        summary: May(Type.String()),
        data: May(Type.String()),
        text: May(Type.Union([Type.String(), Type.Null()])),
        signature: May(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  ),
}

const Message = Type.Union([
  Type.Object({ role: Is('system'), content: texts }),
  Type.Object({ role: Is('developer'), content: texts }),
  Type.Object({ role: Is('user'), content: Type.Union([Type.String(), List(Type.Union([Text, Image]))]) }),
  Type.Object({
    role: Is('assistant'),
    content: May(Type.Union([Type.String(), List(Text), Type.Null()])),
    tool_calls: May(
      List(
        Type.Object({
          id: Type.String(),
          type: Is('function'),
          function: Type.Object({ name: toolName, arguments: Type.String() }),
        }),
      ),
    ),
    ...reasoning,
  }),
  Type.Object({ role: Is('tool'), tool_call_id: Type.String(), content: texts, name: May(toolName) }),
])

const Request = Type.Object({
  messages: List(Message),
  tools: May(
    List(
      Type.Object({
        type: Is('function'),
        function: Type.Object({
          name: toolName,
          description: May(Type.String()),
          parameters: May(FreeObject),
          strict: May(Type.Union([Type.Boolean(), Type.Null()])),
        }),
        ...cached,
      }),
    ),
  ),
  tool_choice: May(
    Type.Union([
      Type.Enum(['auto', 'none', 'required']),
      Type.Object({ type: Is('function'), function: Type.Object({ name: toolName }) }),
    ]),
  ),
  parallel_tool_calls: May(Type.Boolean()),
  reasoning_effort: May(effort),
  max_tokens: May(Type.Integer({ minimum: 1 })),
  max_completion_tokens: May(Type.Integer({ minimum: 1 })),
  temperature: May(Type.Number()),
  top_p: May(Type.Number()),
  stop: May(Type.Union([Type.String(), List(Type.String())])),
  prompt_cache_key: May(Type.String()),
  stream: May(Type.Boolean()),
})

export const openaiCompletions: Wire = {
  format: 'openai-completions',
  path: '/chat/completions',
  Request,
  smallest: { max_completion_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }] },

  rebuild(known, { providerModel, maxOutputTokens, cacheKey }) {
    const { max_tokens, max_completion_tokens, prompt_cache_key, ...request } = known as Type.Static<typeof Request>
    refuseReferences((request.tools ?? []).map((tool) => tool.function.parameters))
    const most = Math.min(max_completion_tokens ?? max_tokens ?? maxOutputTokens, maxOutputTokens)
    const stream = request.stream === true
    return {
      body: {
        ...request,
        model: providerModel,
        // OpenAI's newer models take only the one, many of its likes only the other: the engine was told which it is.
        ...(max_tokens === undefined ? { max_completion_tokens: most } : { max_tokens: most }),
        ...(prompt_cache_key !== undefined && { prompt_cache_key: cacheKey }),
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
      },
      stream,
      maxOutputTokens: most,
    }
  },

  headers: openaiHeaders,
  usageIn: ({ usage }) => usageOf(objectOf(usage) ?? {}, 'prompt', 'completion'),
  isLast: ({ data }) => data === '[DONE]',
  faultIn: (value) => (value.error ? readFault(value) : undefined),
  errorBody: openaiErrorBody,
  errorEvent: (error) => ({ name: '', data: JSON.stringify(openaiErrorBody(error)) }),
}
