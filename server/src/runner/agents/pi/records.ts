/**
 * What pi says on its output, as far as the runner reads it. The program that writes it shares the box with whatever the
 * model runs, so every field is checked before it is used.
 */
import { cutText, plainText } from '../../sandbox/plain-text.ts'
import type { AgentRunEvent, AgentStopReason, AgentUsage } from '../coding-agent.ts'

export type PiRecord =
  | { kind: 'event'; event: AgentRunEvent }
  | { kind: 'usage'; usage: AgentUsage }
  /** One answer of the model is whole. */
  | { kind: 'answer'; text: string; stop: AgentStopReason; usage: AgentUsage }
  | { kind: 'prompt_refused'; message: string }
  /** Nothing follows by itself. */
  | { kind: 'settled' }

const maxTextCharacters = 32_000
const maxOutputCharacters = 16_000
const maxArguments = 20
const maxArgumentCharacters = 2_000
export const maxReplyCharacters = 90_000

export function readRecord(line: string): PiRecord | undefined {
  const record = asObject(parseJson(line))
  switch (record.type) {
    case 'message_update': {
      const update = asObject(record.assistantMessageEvent)
      const text = update.type === 'text_end' ? readable(update.content, maxTextCharacters) : ''
      return text === '' ? undefined : { kind: 'event', event: { kind: 'text', text } }
    }
    case 'message_end':
      return responseOf(asObject(record.message))
    case 'tool_execution_start':
      return { kind: 'event', event: { kind: 'tool_call', ...call(record), arguments: argumentsOf(record.args) } }
    case 'tool_execution_end': {
      const output = readable(textOf(asObject(record.result).content), maxOutputCharacters)
      return {
        kind: 'event',
        event: { kind: 'tool_result', ...call(record), isError: record.isError === true, output },
      }
    }
    case 'auto_retry_start': {
      const attempt = asCount(record.attempt)
      const of = asCount(record.maxAttempts)
      const why = readable(record.errorMessage, 500)
      return notice(`The model failed (${why}). Trying again, ${attempt} of ${of}.`)
    }
    case 'compaction_start':
      return notice('The conversation is long: it is summed up to make room.')
    case 'compaction_end': {
      const usage = asObject(asObject(record.result).usage)
      return { kind: 'usage', usage: usageOf(usage) }
    }
    case 'response':
      if (record.command !== 'prompt' || record.success === true) return undefined
      return { kind: 'prompt_refused', message: readable(record.error, 500) }
    case 'agent_settled':
      return { kind: 'settled' }
    default:
      return undefined
  }
}

function responseOf(message: Record<string, unknown>): PiRecord | undefined {
  if (message.role !== 'assistant') return undefined
  const stop = stopOf(message.stopReason, readable(message.errorMessage, 1_000))
  const text = readable(textOf(message.content), maxReplyCharacters)
  return { kind: 'answer', text, stop, usage: usageOf(asObject(message.usage)) }
}

/** Its exit code says nothing: it is 0 also when the provider is away. */
function stopOf(reason: unknown, message: string): AgentStopReason {
  if (reason === 'length') return { kind: 'cut_short' }
  if (reason === 'aborted') return { kind: 'aborted' }
  if (reason === 'stop' || reason === 'toolUse') return { kind: 'finished' }
  return { kind: 'model_failed', message: message === '' ? 'The model failed and did not say why.' : message }
}

function usageOf(usage: Record<string, unknown>): AgentUsage {
  return {
    inputTokens: asCount(usage.input),
    cacheReadTokens: asCount(usage.cacheRead),
    cacheWriteTokens: asCount(usage.cacheWrite),
    outputTokens: asCount(usage.output),
  }
}

const notice = (text: string): PiRecord => ({ kind: 'event', event: { kind: 'notice', text } })

const call = (record: Record<string, unknown>) => ({
  callId: readable(record.toolCallId, 200),
  tool: readable(record.toolName, 200),
})

function argumentsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value)).slice(0, maxArguments)
  return Object.fromEntries(
    entries.map(([name, argument]) => [
      readable(name, 100),
      readable(typeof argument === 'string' ? argument : JSON.stringify(argument), maxArgumentCharacters),
    ]),
  )
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.map(asObject) : []
  return blocks
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n\n')
}

const readable = (value: unknown, maxCharacters: number): string =>
  typeof value === 'string' ? cutText(plainText(value), maxCharacters) : ''

const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
