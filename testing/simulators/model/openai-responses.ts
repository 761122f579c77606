// Types only: they check every event against the provider's published types, and the running server needs no package.
import type OpenAI from 'openai'
import { type ConversationTurn, textOf } from './conversation.ts'
import { isMatching, isNonNegativeInteger, isObject, type JsonObject, objectsIn } from './json.ts'
import {
  authenticate,
  openaiErrorFormat,
  throwInvalidRequest,
  throwMissingParameter,
  totalInputTokens,
} from './openai.ts'
import { type Reply, splitText } from './reply.ts'
import type { Usage } from './script.ts'
import { type ParsedRequest, quotedList, sseEvent, type WireFormat } from './wire-format.ts'

export const openaiResponsesFormat: WireFormat = {
  name: 'openai-responses',
  path: '/v1/responses',
  requestIdHeader: 'x-request-id',
  authenticate,
  parseRequest,
  ...openaiErrorFormat,
}

/** `output_text` is added by the client and never sent. */
type Response = Omit<OpenAI.Responses.Response, 'output_text'>
type FunctionCall = OpenAI.Responses.ResponseFunctionToolCall & { id: string }
type OutputItem = OpenAI.Responses.ResponseOutputMessage | FunctionCall

type EachWithout<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never
type ItemEvent = EachWithout<Exclude<OpenAI.Responses.ResponseStreamEvent, { response: unknown }>, 'sequence_number'>
type ResponseEvent = { type: 'response.created' | 'response.in_progress' | 'response.completed'; response: Response }

/** When the provider adds a field, the type check fails here after an update of its package. */
const knownFields: Record<keyof OpenAI.Responses.ResponseCreateParams, true> = {
  access_programs: true,
  background: true,
  context_management: true,
  conversation: true,
  image: true,
  include: true,
  input: true,
  instructions: true,
  max_output_tokens: true,
  max_tool_calls: true,
  metadata: true,
  model: true,
  moderation: true,
  parallel_tool_calls: true,
  previous_response_id: true,
  prompt: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  reasoning: true,
  safety_identifier: true,
  service_tier: true,
  store: true,
  stream: true,
  stream_options: true,
  temperature: true,
  text: true,
  tool_choice: true,
  tools: true,
  top_logprobs: true,
  top_p: true,
  truncation: true,
  user: true,
}

const roles = ['assistant', 'system', 'developer', 'user']

function parseRequest(body: JsonObject): ParsedRequest {
  const extra = Object.keys(body).find((key) => !Object.hasOwn(knownFields, key))
  if (extra !== undefined) throwInvalidRequest(`Unknown parameter: '${extra}'.`, extra, 'unknown_parameter')
  if (typeof body.model !== 'string' || body.model === '') throwMissingParameter('model')
  // Nothing is stored between calls, so there is never an earlier response.
  if (typeof body.previous_response_id === 'string')
    throwInvalidRequest(
      `Previous response with id '${body.previous_response_id}' not found.`,
      'previous_response_id',
      'previous_response_not_found',
    )
  const limit = body.max_output_tokens ?? 16
  if (!isNonNegativeInteger(limit) || limit < 16)
    throwInvalidRequest(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    )
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
  if (!Array.isArray(input)) throwMissingParameter('input')
  const items = input.map(readItem)
  rejectUnpairedTools(items)

  const request = { ...body, model: body.model }
  return {
    conversation: { model: body.model, toolsOffered: readTools(body.tools), turns: items.flatMap(turnsOf) },
    messageCount: items.length,
    stream: body.stream === true,
    events: (reply) => events(reply, request),
    completeBody: (reply) => completed(reply, request, outputOf(reply)),
  }
}

function readItem(item: unknown, index: number): JsonObject {
  const at = `input[${index}]`
  if (!isObject(item)) throwInvalidRequest(`Invalid type for '${at}': expected an object.`, at, 'invalid_type')
  switch (item.type ?? 'message') {
    case 'message':
      if (!roles.includes(String(item.role)))
        throwInvalidRequest(
          `Invalid value: '${item.role}'. Supported values are: ${quotedList(roles)}.`,
          at,
          'invalid_value',
        )
      if (typeof item.content !== 'string' && !Array.isArray(item.content)) throwMissingParameter(`${at}.content`)
      return { ...item, type: 'message' }
    case 'function_call':
      for (const key of ['call_id', 'name', 'arguments'])
        if (typeof item[key] !== 'string') throwMissingParameter(`${at}.${key}`)
      if (typeof item.id === 'string' && !item.id.startsWith('fc'))
        throwInvalidRequest(
          `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with 'fc'.`,
          `${at}.id`,
          'invalid_value',
        )
      return item
    case 'function_call_output':
      for (const key of ['call_id', 'output']) if (item[key] === undefined) throwMissingParameter(`${at}.${key}`)
      return item
    case 'reasoning':
      return item
    default:
      // The provider has many more, for its own tools, which are not simulated.
      throwInvalidRequest(
        `Invalid value: '${item.type}'. The scripted model has only function tools.`,
        at,
        'invalid_value',
      )
  }
}

/** Unlike in the other two formats, a call may be anywhere before its output. */
function rejectUnpairedTools(items: JsonObject[]): void {
  const open = new Set<unknown>()
  for (const item of items) {
    if (item.type === 'function_call') open.add(item.call_id)
    if (item.type === 'function_call_output' && !open.delete(item.call_id))
      throwInvalidRequest(`No tool call found for function call output with call_id ${item.call_id}.`, 'input')
  }
  for (const id of open) throwInvalidRequest(`No tool output found for function call ${id}.`, 'input')
}

function readTools(tools: unknown): string[] {
  return objectsIn(tools).flatMap((tool, index) => {
    if (tool.type !== 'function') return []
    if (!isMatching(/^[a-zA-Z0-9_-]{1,64}$/, tool.name)) throwMissingParameter(`tools[${index}].name`)
    return [tool.name]
  })
}

function turnsOf(item: JsonObject): ConversationTurn[] {
  switch (item.type) {
    case 'message':
      if (item.role === 'user') return [{ by: 'user', text: textOf(item.content, 'input_text') }]
      return item.role === 'assistant' ? [{ by: 'assistant', calls: [] }] : []
    case 'function_call':
      return [{ by: 'assistant', calls: [{ id: String(item.call_id), tool: String(item.name) }] }]
    case 'function_call_output':
      return [{ by: 'tool', callId: String(item.call_id), output: textOf(item.output, 'input_text') }]
    default:
      return []
  }
}

function* events(reply: Reply, request: JsonObject & { model: string }): Generator<string> {
  let sequence = 0
  for (const event of rawEvents(reply, request)) yield sseEvent(event.type, { ...event, sequence_number: sequence++ })
}

function* rawEvents(reply: Reply, request: JsonObject & { model: string }): Generator<ItemEvent | ResponseEvent> {
  const output = outputOf(reply)
  const response = completed(reply, request, output)
  const { usage, ...initial }: Response = { ...response, status: 'in_progress', completed_at: null, output: [] }
  yield { type: 'response.created', response: initial }
  yield { type: 'response.in_progress', response: initial }
  for (const [index, item] of output.entries())
    yield* item.type === 'message' ? messageEvents(item, index) : callEvents(item, index)
  yield { type: 'response.completed', response }
}

function* messageEvents(item: OpenAI.Responses.ResponseOutputMessage, output_index: number): Generator<ItemEvent> {
  yield { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } }
  for (const [content_index, part] of item.content.entries()) {
    const position = { item_id: item.id, output_index, content_index }
    if (part.type === 'output_text') {
      yield { type: 'response.content_part.added', ...position, part: { ...part, text: '' } }
      for (const delta of splitText(part.text))
        yield { type: 'response.output_text.delta', ...position, delta, logprobs: [] }
      yield { type: 'response.output_text.done', ...position, text: part.text, logprobs: [] }
    } else {
      yield { type: 'response.content_part.added', ...position, part: { ...part, refusal: '' } }
      for (const delta of splitText(part.refusal)) yield { type: 'response.refusal.delta', ...position, delta }
      yield { type: 'response.refusal.done', ...position, refusal: part.refusal }
    }
    yield { type: 'response.content_part.done', ...position, part }
  }
  yield { type: 'response.output_item.done', output_index, item }
}

function* callEvents(item: FunctionCall, output_index: number): Generator<ItemEvent> {
  const position = { item_id: item.id, output_index }
  yield { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } }
  for (const delta of splitText(item.arguments))
    yield { type: 'response.function_call_arguments.delta', ...position, delta }
  yield { type: 'response.function_call_arguments.done', ...position, arguments: item.arguments }
  yield { type: 'response.output_item.done', output_index, item }
}

function outputOf({ content, newId }: Reply): OutputItem[] {
  const message = (part: OpenAI.Responses.ResponseOutputMessage['content'][number]): OutputItem => ({
    id: newId('msg_'),
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [part],
  })
  if (content.kind === 'refusal') return [message({ type: 'refusal', refusal: content.text })]
  return [
    ...(content.text === ''
      ? []
      : [message({ type: 'output_text', text: content.text, annotations: [], logprobs: [] })]),
    ...content.calls.map(
      (call): FunctionCall => ({
        id: newId('fc_'),
        type: 'function_call',
        status: 'completed',
        call_id: newId('call_'),
        name: call.tool,
        arguments: call.argumentsJson,
      }),
    ),
  ]
}

/** The provider echoes the request. This echoes only the fields that have an effect here or that a client reads. */
function completed(reply: Reply, request: JsonObject & { model: string }, output: OutputItem[]): Response {
  return {
    id: reply.newId('resp_'),
    object: 'response',
    created_at: reply.createdAtSeconds,
    completed_at: reply.createdAtSeconds,
    status: 'completed',
    model: request.model,
    output,
    usage: usageOf(reply.usage),
    error: null,
    incomplete_details: null,
    instructions: typeof request.instructions === 'string' ? request.instructions : null,
    max_output_tokens: isNonNegativeInteger(request.max_output_tokens) ? request.max_output_tokens : null,
    previous_response_id: null,
    access_programs: null,
    metadata: {},
    parallel_tool_calls: true,
    service_tier: 'default',
    temperature: 1,
    tool_choice: 'auto',
    tools: objectsIn(request.tools) as unknown as Response['tools'],
    top_p: 1,
    truncation: 'disabled',
  }
}

function usageOf(usage: Usage): OpenAI.Responses.ResponseUsage {
  return {
    input_tokens: totalInputTokens(usage),
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: totalInputTokens(usage) + usage.outputTokens,
  }
}
