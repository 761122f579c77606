// Types only: they check every chunk against the provider's published types, and the running server needs no package.
import type OpenAI from 'openai'
import { type ConversationTurn, textOf } from './conversation.ts'
import { isMatching, isObject, type JsonObject, objectsIn } from './json.ts'
import {
  authenticate,
  openaiErrorFormat,
  throwInvalidRequest,
  throwMissingParameter,
  totalInputTokens,
} from './openai.ts'
import { type Reply, splitText } from './reply.ts'
import type { Usage } from './script.ts'
import { type ParsedRequest, quotedList, type WireFormat } from './wire-format.ts'

export const openaiCompletionsFormat: WireFormat = {
  name: 'openai-completions',
  path: '/v1/chat/completions',
  requestIdHeader: 'x-request-id',
  authenticate,
  parseRequest,
  ...openaiErrorFormat,
}

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk
type Choice = Chunk['choices'][number]
type Completion = OpenAI.Chat.Completions.ChatCompletion

/** When the provider adds a field, the type check fails here after an update of its package. */
const knownFields: Record<keyof OpenAI.Chat.Completions.ChatCompletionCreateParams, true> = {
  audio: true,
  frequency_penalty: true,
  function_call: true,
  functions: true,
  logit_bias: true,
  logprobs: true,
  max_completion_tokens: true,
  max_tokens: true,
  messages: true,
  metadata: true,
  modalities: true,
  model: true,
  moderation: true,
  n: true,
  parallel_tool_calls: true,
  prediction: true,
  presence_penalty: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  reasoning_effort: true,
  response_format: true,
  safety_identifier: true,
  seed: true,
  service_tier: true,
  stop: true,
  store: true,
  stream: true,
  stream_options: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_logprobs: true,
  top_p: true,
  user: true,
  verbosity: true,
  web_search_options: true,
}

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer']

function parseRequest(body: JsonObject): ParsedRequest {
  const extra = Object.keys(body).find((key) => !Object.hasOwn(knownFields, key))
  if (extra !== undefined) throwInvalidRequest(`Unrecognized request argument supplied: ${extra}`, extra)
  if (typeof body.model !== 'string' || body.model === '')
    throwInvalidRequest('you must provide a model parameter', 'model')
  if (!Array.isArray(body.messages)) throwMissingParameter('messages')
  if (body.messages.length === 0)
    throwInvalidRequest(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
      'empty_array',
    )
  const stream = body.stream === true
  if (isObject(body.stream_options) && !stream)
    throwInvalidRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
  const messages = body.messages.map(readMessage)
  rejectUnpairedTools(messages)

  const model = body.model
  const includeUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
  return {
    conversation: { model, toolsOffered: readTools(body.tools), turns: messages.flatMap(turnsOf) },
    messageCount: messages.length,
    stream,
    events: (reply) => events(reply, model, includeUsage),
    completeBody: (reply) => completion(reply, model),
  }
}

function readMessage(message: unknown, index: number): JsonObject {
  const at = `messages[${index}]`
  if (!isObject(message)) throwInvalidRequest(`Invalid type for '${at}': expected an object.`, at, 'invalid_type')
  const { role, content } = message
  if (!roles.includes(String(role)))
    throwInvalidRequest(
      `Invalid value: '${role}'. Supported values are: ${quotedList(roles)}.`,
      `${at}.role`,
      'invalid_value',
    )
  const mayBeEmpty = role === 'assistant' && (Array.isArray(message.tool_calls) || isObject(message.function_call))
  if (typeof content !== 'string' && !Array.isArray(content) && !mayBeEmpty)
    throwInvalidRequest(
      `Invalid value for 'content': expected a string, got ${content === undefined ? 'nothing' : content}.`,
      `${at}.content`,
    )
  for (const [position, { id, function: called }] of objectsIn(message.tool_calls).entries())
    if (
      typeof id !== 'string' ||
      !isObject(called) ||
      typeof called.name !== 'string' ||
      typeof called.arguments !== 'string'
    )
      throwInvalidRequest(
        `Invalid value for '${at}.tool_calls[${position}]'.`,
        `${at}.tool_calls[${position}]`,
        'invalid_value',
      )
  if (role === 'tool' && typeof message.tool_call_id !== 'string') throwMissingParameter(`${at}.tool_call_id`)
  return message
}

/** Tool messages must follow the calls directly, one for each call. */
function rejectUnpairedTools(messages: JsonObject[]): void {
  let open = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        throwInvalidRequest(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${index}].role`,
        )
      continue
    }
    rejectMissingResults(open)
    open = new Set(objectsIn(message.tool_calls).map((call) => call.id))
  }
  rejectMissingResults(open)
}

function rejectMissingResults(ids: Set<unknown>): void {
  if (ids.size === 0) return
  throwInvalidRequest(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    'messages',
  )
}

function readTools(tools: unknown): string[] {
  return objectsIn(tools).flatMap((tool, index) => {
    if (tool.type !== 'function') return []
    const at = `tools[${index}].function.name`
    if (!isObject(tool.function) || !isMatching(/^[a-zA-Z0-9_-]{1,64}$/, tool.function.name)) throwMissingParameter(at)
    return [tool.function.name]
  })
}

function turnsOf(message: JsonObject): ConversationTurn[] {
  switch (message.role) {
    case 'user':
      return [{ by: 'user', text: textOf(message.content) }]
    case 'assistant':
      return [
        {
          by: 'assistant',
          calls: objectsIn(message.tool_calls).map((call) => ({
            id: String(call.id),
            tool: isObject(call.function) ? String(call.function.name) : '',
          })),
        },
      ]
    case 'tool':
      return [{ by: 'tool', callId: String(message.tool_call_id), output: textOf(message.content) }]
    default:
      return []
  }
}

function* events(reply: Reply, model: string, includeUsage: boolean): Generator<string> {
  for (const chunk of chunks(reply, model, includeUsage)) yield `data: ${JSON.stringify(chunk)}\n\n`
  yield 'data: [DONE]\n\n'
}

function* chunks(reply: Reply, model: string, includeUsage: boolean): Generator<Chunk> {
  const { choices, usage, ...envelope } = completion(reply, model)
  const common = { ...envelope, object: 'chat.completion.chunk', ...(includeUsage ? { usage: null } : {}) } as const
  const withDelta = (delta: Choice['delta'], finish_reason: Choice['finish_reason'] = null): Chunk => ({
    ...common,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })

  const { content } = reply
  yield withDelta({ role: 'assistant', content: content.kind === 'message' ? '' : null, refusal: null })
  for (const piece of splitText(content.text))
    yield withDelta(content.kind === 'message' ? { content: piece } : { refusal: piece })
  for (const [index, call] of (choices[0]?.message.tool_calls ?? []).entries()) {
    if (call.type !== 'function') continue
    const { name, arguments: argumentsJson } = call.function
    yield withDelta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] })
    for (const piece of splitText(argumentsJson))
      yield withDelta({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  yield withDelta({}, choices[0]?.finish_reason)
  if (includeUsage && usage) yield { ...common, choices: [], usage }
}

function completion({ content, usage, reportsUsage, createdAtSeconds, newId }: Reply, model: string): Completion {
  const calls = content.kind === 'message' ? content.calls : []
  const toolCalls = calls.map(
    (call) =>
      ({ id: newId('call_'), type: 'function', function: { name: call.tool, arguments: call.argumentsJson } }) as const,
  )
  return {
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: createdAtSeconds,
    model,
    service_tier: 'default',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content.kind === 'message' && content.text !== '' ? content.text : null,
          refusal: content.kind === 'refusal' ? content.text : null,
          annotations: [],
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: toolCalls.length === 0 ? 'stop' : 'tool_calls',
      },
    ],
    ...(reportsUsage && { usage: usageOf(usage) }),
  }
}

function usageOf(usage: Usage): OpenAI.CompletionUsage {
  return {
    prompt_tokens: totalInputTokens(usage),
    completion_tokens: usage.outputTokens,
    total_tokens: totalInputTokens(usage) + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
