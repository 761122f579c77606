import Type from 'typebox'
import { toJsonObject } from './json.ts'
import { createOpenaiErrorBody } from './model-error.ts'
import { createOpenaiHeaders, ImageDataUrl, ImageDetail, parseOpenaiUsage, ReasoningEffort } from './openai-shared.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { parseProviderError } from './provider-error.ts'
import { AnyJsonObject, rejectExternalReferences, ToolName } from './tool-schema.ts'

const { Optional, Literal, Array: List } = Type

/** OpenRouter accepts that of Anthropic. Without `ttl`, for the same reason as there. */
const cacheControl = { cache_control: Optional(Type.Object({ type: Literal('ephemeral') })) }

const Text = Type.Object({ type: Literal('text'), text: Type.String(), ...cacheControl })
const Image = Type.Object({
  type: Literal('image_url'),
  image_url: Type.Object({ url: ImageDataUrl, detail: ImageDetail }),
})
const texts = Type.Union([Type.String(), List(Text)])

/** The model's own thinking, sent back to it. In the format of OpenRouter it is a list. */
const reasoning = {
  reasoning_content: Optional(Type.String()),
  reasoning: Optional(Type.String()),
  reasoning_text: Optional(Type.String()),
  reasoning_details: Optional(
    List(
      Type.Object({
        type: Type.Enum(['reasoning.summary', 'reasoning.encrypted', 'reasoning.text']),
        id: Optional(Type.Union([Type.String(), Type.Null()])),
        format: Optional(Type.String()),
        index: Optional(Type.Integer()),
        summary: Optional(Type.String()),
        data: Optional(Type.String()),
        text: Optional(Type.Union([Type.String(), Type.Null()])),
        signature: Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  ),
}

const Message = Type.Union([
  Type.Object({ role: Literal('system'), content: texts }),
  Type.Object({ role: Literal('developer'), content: texts }),
  Type.Object({ role: Literal('user'), content: Type.Union([Type.String(), List(Type.Union([Text, Image]))]) }),
  Type.Object({
    role: Literal('assistant'),
    content: Optional(Type.Union([Type.String(), List(Text), Type.Null()])),
    tool_calls: Optional(
      List(
        Type.Object({
          id: Type.String(),
          type: Literal('function'),
          function: Type.Object({ name: ToolName, arguments: Type.String() }),
        }),
      ),
    ),
    ...reasoning,
  }),
  Type.Object({ role: Literal('tool'), tool_call_id: Type.String(), content: texts, name: Optional(ToolName) }),
])

const Request = Type.Object({
  messages: List(Message),
  tools: Optional(
    List(
      Type.Object({
        type: Literal('function'),
        function: Type.Object({
          name: ToolName,
          description: Optional(Type.String()),
          parameters: Optional(AnyJsonObject),
          strict: Optional(Type.Union([Type.Boolean(), Type.Null()])),
        }),
        ...cacheControl,
      }),
    ),
  ),
  tool_choice: Optional(
    Type.Union([
      Type.Enum(['auto', 'none', 'required']),
      Type.Object({ type: Literal('function'), function: Type.Object({ name: ToolName }) }),
    ]),
  ),
  parallel_tool_calls: Optional(Type.Boolean()),
  reasoning_effort: Optional(ReasoningEffort),
  max_tokens: Optional(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Optional(Type.Integer({ minimum: 1 })),
  temperature: Optional(Type.Number()),
  top_p: Optional(Type.Number()),
  stop: Optional(Type.Union([Type.String(), List(Type.String())])),
  prompt_cache_key: Optional(Type.String()),
  stream: Optional(Type.Boolean()),
})

export const openaiCompletionsAdapter: ProviderAdapter = {
  format: 'openai-completions',
  path: '/chat/completions',
  requestSchema: Request,
  minimalRequest: { max_completion_tokens: 16, messages: [{ role: 'user', content: 'Say OK.' }] },

  rebuild(knownFields, { providerModel, maxOutputTokens, cacheKey }) {
    const { max_tokens, max_completion_tokens, prompt_cache_key, ...request } = knownFields as Type.Static<
      typeof Request
    >
    rejectExternalReferences((request.tools ?? []).map((tool) => tool.function.parameters))
    const outputLimit = Math.min(max_completion_tokens ?? max_tokens ?? maxOutputTokens, maxOutputTokens)
    const stream = request.stream === true
    return {
      body: {
        ...request,
        model: providerModel,
        // Newer models of OpenAI accept only the first, many compatible providers only the second: the agent is
        // configured for one.
        ...(max_tokens === undefined ? { max_completion_tokens: outputLimit } : { max_tokens: outputLimit }),
        ...(prompt_cache_key !== undefined && { prompt_cache_key: cacheKey }),
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
      },
      stream,
      maxOutputTokens: outputLimit,
    }
  },

  headers: createOpenaiHeaders,
  readUsage: ({ usage }) => parseOpenaiUsage(toJsonObject(usage) ?? {}, 'prompt', 'completion'),
  isFinalEvent: ({ data }) => data === '[DONE]',
  readError: (value) => (value.error ? parseProviderError(value) : undefined),
  errorBody: createOpenaiErrorBody,
  errorEvent: (error) => ({ name: '', data: JSON.stringify(createOpenaiErrorBody(error)) }),
}
