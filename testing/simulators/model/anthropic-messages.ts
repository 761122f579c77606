import type { IncomingHttpHeaders } from 'node:http'
// Types only: they check every event against the provider's published types, and the running server needs no package.
import type Anthropic from '@anthropic-ai/sdk'
import { type ConversationTurn, textOf } from './conversation.ts'
import { isMatching, isNonNegativeInteger, isObject, type JsonObject, objectsIn, parseObject } from './json.ts'
import { type Reply, splitText } from './reply.ts'
import type { Usage } from './script.ts'
import { type ParsedRequest, ProviderError, sseEvent, type WireFormat } from './wire-format.ts'

export const anthropicMessagesFormat: WireFormat = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  requestIdHeader: 'request-id',
  authenticate,
  parseRequest,
  statusOf: (error) => error.status,
  errorBody: ({ status, message }, requestId) => ({
    type: 'error',
    error: { type: errorTypes[status], message },
    request_id: requestId,
  }),
}

const errorTypes: Record<ProviderError['status'], string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

/** When the provider adds a field, the type check fails here after an update of its package. */
const knownFields: Record<keyof Anthropic.MessageCreateParams, true> = {
  cache_control: true,
  container: true,
  diagnostics: true,
  inference_geo: true,
  max_tokens: true,
  messages: true,
  metadata: true,
  model: true,
  output_config: true,
  service_tier: true,
  speed: true,
  stop_sequences: true,
  stream: true,
  system: true,
  thinking: true,
  tool_choice: true,
  tools: true,
  user_profile_id: true,
  workspace_id: true,
}

/** No longer in the provider's types, but older models still accept them. */
const formerFields = ['temperature', 'top_k', 'top_p']

const roles = ['user', 'assistant', 'system']
/** The provider has more, for tools that run on its side. */
const blockTypes = [
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]

function authenticate(headers: IncomingHttpHeaders): void {
  if (!headers['x-api-key'] && !/^Bearer \S+$/.test(headers.authorization ?? ''))
    throw new ProviderError(401, 'x-api-key header is required')
  if (!headers['anthropic-version']) throw new ProviderError(400, 'anthropic-version: header is required')
}

function parseRequest(body: JsonObject, headers: IncomingHttpHeaders): ParsedRequest {
  // Betas add fields that are too many and too short-lived to list.
  const extra = Object.keys(body).find((key) => !Object.hasOwn(knownFields, key) && !formerFields.includes(key))
  if (extra !== undefined && !headers['anthropic-beta']) reject(`${extra}: Extra inputs are not permitted`)

  if (typeof body.model !== 'string' || body.model === '') reject('model: Field required')
  if (body.max_tokens === undefined) reject('max_tokens: Field required')
  if (!isNonNegativeInteger(body.max_tokens) || body.max_tokens < 1)
    reject('max_tokens: Input should be greater than or equal to 1')
  if (!Array.isArray(body.messages)) reject('messages: Field required')
  if (body.messages.length === 0) reject('messages: at least one message is required')
  const messages = body.messages.map(readMessage)
  rejectUnpairedTools(messages)

  const model = body.model
  return {
    conversation: { model, toolsOffered: readTools(body.tools), turns: messages.flatMap(turnsOf) },
    messageCount: messages.length,
    stream: body.stream === true,
    events: (reply) => events(reply, model),
    completeBody: (reply) => messageWith(blocksFor(reply), reply, model),
  }
}

type Message = { role: string; content: JsonObject[]; at: string }

function readMessage(message: unknown, index: number): Message {
  const at = `messages.${index}`
  if (!isObject(message)) reject(`${at}: Input should be an object`)
  const { role, content } = message
  if (typeof role !== 'string' || !roles.includes(role))
    reject(`${at}.role: Input should be 'user', 'assistant' or 'system'`)
  if (typeof content === 'string') {
    if (content === '') reject(`${at}: user messages must have non-empty content`)
    return { role, content: [{ type: 'text', text: content }], at }
  }
  if (!Array.isArray(content)) reject(`${at}.content: Input should be a valid list`)
  if (content.length === 0 && role === 'user') reject(`${at}: user messages must have non-empty content`)
  return { role, content: content.map((block, position) => readBlock(block, `${at}.content.${position}`, role)), at }
}

function readBlock(block: unknown, at: string, role: string): JsonObject {
  if (!isObject(block) || !blockTypes.includes(String(block.type)))
    reject(`${at}: Input tag does not match any of the expected tags: ${blockTypes.join(', ')}`)
  if (block.type === 'text' && (typeof block.text !== 'string' || block.text === ''))
    reject('messages: text content blocks must be non-empty')
  if (block.type === 'tool_use') {
    if (role !== 'assistant') reject(`${at}: \`tool_use\` blocks can only be in \`assistant\` messages`)
    if (!isMatching(/^[a-zA-Z0-9_-]+$/, block.id))
      reject(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
    if (typeof block.name !== 'string') reject(`${at}.tool_use.name: Field required`)
    if (!isObject(block.input)) reject(`${at}.tool_use.input: Input should be a valid dictionary`)
  }
  if (block.type === 'tool_result') {
    if (role !== 'user') reject(`${at}: \`tool_result\` blocks can only be in \`user\` messages`)
    if (typeof block.tool_use_id !== 'string') reject(`${at}.tool_result.tool_use_id: Field required`)
  }
  return block
}

/** The provider merges adjacent messages of one role. Then the next message must have exactly the results of all tool calls. */
function rejectUnpairedTools(messages: Message[]): void {
  let open = new Set<unknown>()
  let at = ''
  for (const message of mergeAdjacent(messages)) {
    for (const { tool_use_id: id } of blocksOf('tool_result', message)) {
      if (!open.delete(id))
        reject(
          `${message.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        )
    }
    if (open.size > 0) rejectMissingResults(at, open)
    open = new Set(blocksOf('tool_use', message).map((block) => block.id))
    at = message.at
  }
  if (open.size > 0) rejectMissingResults(at, open)
}

function rejectMissingResults(at: string, ids: Set<unknown>): never {
  reject(
    `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function mergeAdjacent(messages: Message[]): Message[] {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === message.role) joined.splice(-1, 1, { ...last, content: [...last.content, ...message.content] })
    else joined.push(message)
  }
  return joined
}

function readTools(tools: unknown): string[] {
  const names = objectsIn(tools).map((tool, index) => {
    if (!isMatching(/^[a-zA-Z0-9_-]{1,128}$/, tool.name))
      reject(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    const isClientTool = tool.type === undefined || tool.type === null || tool.type === 'custom'
    if (isClientTool && !isObject(tool.input_schema)) reject(`tools.${index}.input_schema: Field required`)
    return tool.name
  })
  if (new Set(names).size < names.length) reject('tools: Tool names must be unique.')
  return names
}

function turnsOf(message: Message): ConversationTurn[] {
  const text = textOf(message.content)
  switch (message.role) {
    case 'assistant':
      return [
        {
          by: 'assistant',
          calls: blocksOf('tool_use', message).map((block) => ({ id: String(block.id), tool: String(block.name) })),
        },
      ]
    case 'user':
      return [
        ...blocksOf('tool_result', message).map(
          (block): ConversationTurn => ({
            by: 'tool',
            callId: String(block.tool_use_id),
            output: textOf(block.content),
          }),
        ),
        ...(text === '' ? [] : [{ by: 'user', text } as const]),
      ]
    default:
      return []
  }
}

function blocksOf(type: string, { content }: Message): JsonObject[] {
  return content.filter((block) => block.type === type)
}

function reject(message: string): never {
  throw new ProviderError(400, message)
}

function* events(reply: Reply, model: string): Generator<string> {
  for (const event of rawEvents(reply, model)) {
    yield sseEvent(event.type, event)
    // The position of the provider's first ping. The SDK's types do not have it, and clients skip it.
    if (event.type === 'message_start') yield sseEvent('ping', { type: 'ping' })
  }
}

function* rawEvents(reply: Reply, model: string): Generator<Anthropic.RawMessageStreamEvent> {
  const { usage } = reply
  const blocks = blocksFor(reply)
  const message = messageWith(blocks, reply, model)
  yield {
    type: 'message_start',
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_details: null,
      usage: { ...message.usage, output_tokens: Math.min(1, usage.outputTokens) },
    },
  }
  for (const [index, { block, streamed }] of blocks.entries()) {
    const isText = block.type === 'text'
    yield {
      type: 'content_block_start',
      index,
      content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
    }
    for (const piece of splitText(streamed)) {
      const delta = isText
        ? ({ type: 'text_delta', text: piece } as const)
        : ({ type: 'input_json_delta', partial_json: piece } as const)
      yield { type: 'content_block_delta', index, delta }
    }
    yield { type: 'content_block_stop', index }
  }
  yield {
    type: 'message_delta',
    delta: {
      stop_reason: message.stop_reason,
      stop_details: message.stop_details,
      stop_sequence: null,
      container: null,
    },
    usage: tokenCounts(usage),
  }
  yield { type: 'message_stop' }
}

/** `streamed` is the concatenation of the block's deltas. */
type ReplyBlock = { block: Anthropic.TextBlock | Anthropic.ToolUseBlock; streamed: string }

function blocksFor({ content, newId }: Reply): ReplyBlock[] {
  if (content.kind === 'refusal') return []
  const text: ReplyBlock = { block: { type: 'text', text: content.text, citations: null }, streamed: content.text }
  const calls = content.calls.map(({ tool, argumentsJson }): ReplyBlock => {
    // Malformed arguments are visible only in a stream: in a complete message, the provider has already parsed them.
    const input = parseObject(argumentsJson) ?? {}
    return {
      block: { type: 'tool_use', id: newId('toolu_'), name: tool, input, caller: { type: 'direct' } },
      streamed: argumentsJson,
    }
  })
  return content.text === '' ? calls : [text, ...calls]
}

function messageWith(blocks: ReplyBlock[], { content, usage, newId }: Reply, model: string): Anthropic.Message {
  const isRefusal = content.kind === 'refusal'
  const isCall = blocks.some(({ block }) => block.type === 'tool_use')
  return {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(({ block }) => block),
    stop_reason: isRefusal ? 'refusal' : isCall ? 'tool_use' : 'end_turn',
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation: content.text } : null,
    stop_sequence: null,
    container: null,
    diagnostics: null,
    usage: usageOf(usage),
  }
}

const tokenCounts = (usage: Usage) => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  output_tokens: usage.outputTokens,
  output_tokens_details: null,
  server_tool_use: null,
})

function usageOf(usage: Usage): Anthropic.Usage {
  return {
    ...tokenCounts(usage),
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}
