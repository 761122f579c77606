/**
 * Parses the records that pi writes to its output, as far as the runner uses them. pi shares the sandbox with the programs that
 * the model runs, so every field is validated.
 */
import { stripTerminalSequences, truncateText } from '../../sandbox/terminal-text.ts'
import type { AgentRunEvent, AgentStopReason, AgentUsage } from '../coding-agent.ts'

export type PiRecord =
  | { kind: 'event'; event: AgentRunEvent }
  | { kind: 'usage'; usage: AgentUsage }
  /** A response of the model is complete. */
  | { kind: 'response'; text: string; stop: AgentStopReason; usage: AgentUsage }
  | { kind: 'prompt_rejected'; message: string }
  /** pi has nothing more to do. */
  | { kind: 'settled' }

const maxTextCharacters = 32_000
const maxOutputCharacters = 16_000
const maxArguments = 20
const maxArgumentCharacters = 2_000
export const maxReplyCharacters = 90_000

export function parsePiRecord(line: string): PiRecord | undefined {
  const record = toObject(parseJson(line))
  switch (record.type) {
    case 'message_update': {
      const update = toObject(record.assistantMessageEvent)
      const text = update.type === 'text_end' ? toPlainText(update.content, maxTextCharacters) : ''
      return text === '' ? undefined : { kind: 'event', event: { kind: 'text', text } }
    }
    case 'message_end':
      return parseResponse(toObject(record.message))
    case 'tool_execution_start':
      return { kind: 'event', event: { kind: 'tool_call', ...callOf(record), arguments: formatArguments(record.args) } }
    case 'tool_execution_end': {
      const output = toPlainText(joinText(toObject(record.result).content), maxOutputCharacters)
      return {
        kind: 'event',
        event: { kind: 'tool_result', ...callOf(record), isError: record.isError === true, output },
      }
    }
    case 'auto_retry_start': {
      const attempt = toCount(record.attempt)
      const maxAttempts = toCount(record.maxAttempts)
      const error = toPlainText(record.errorMessage, 500)
      return notice(`The model call failed (${error}). Retry ${attempt} of ${maxAttempts}.`)
    }
    case 'compaction_start':
      return notice('The conversation is getting long and is being summarized.')
    case 'compaction_end': {
      const usage = toObject(toObject(record.result).usage)
      return { kind: 'usage', usage: toUsage(usage) }
    }
    case 'response':
      if (record.command !== 'prompt' || record.success === true) return undefined
      return { kind: 'prompt_rejected', message: toPlainText(record.error, 500) }
    case 'agent_settled':
      return { kind: 'settled' }
    default:
      return undefined
  }
}

function parseResponse(message: Record<string, unknown>): PiRecord | undefined {
  if (message.role !== 'assistant') return undefined
  const stop = toStopReason(message.stopReason, toPlainText(message.errorMessage, 1_000))
  const text = toPlainText(joinText(message.content), maxReplyCharacters)
  return { kind: 'response', text, stop, usage: toUsage(toObject(message.usage)) }
}

/** pi's exit code cannot be used: it is 0 even if the provider cannot be reached. */
function toStopReason(reason: unknown, message: string): AgentStopReason {
  if (reason === 'length') return { kind: 'length_limit' }
  if (reason === 'aborted') return { kind: 'aborted' }
  if (reason === 'stop' || reason === 'toolUse') return { kind: 'finished' }
  return { kind: 'model_failed', message: message === '' ? 'The model failed without an error message.' : message }
}

function toUsage(usage: Record<string, unknown>): AgentUsage {
  return {
    inputTokens: toCount(usage.input),
    cacheReadTokens: toCount(usage.cacheRead),
    cacheWriteTokens: toCount(usage.cacheWrite),
    outputTokens: toCount(usage.output),
  }
}

const notice = (text: string): PiRecord => ({ kind: 'event', event: { kind: 'notice', text } })

const callOf = (record: Record<string, unknown>) => ({
  callId: toPlainText(record.toolCallId, 200),
  tool: toPlainText(record.toolName, 200),
})

function formatArguments(value: unknown): Record<string, string> {
  const entries = Object.entries(toObject(value)).slice(0, maxArguments)
  return Object.fromEntries(
    entries.map(([name, argument]) => [
      toPlainText(name, 100),
      toPlainText(typeof argument === 'string' ? argument : JSON.stringify(argument), maxArgumentCharacters),
    ]),
  )
}

function joinText(content: unknown): string {
  const blocks = Array.isArray(content) ? content.map(toObject) : []
  return blocks
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n\n')
}

const toPlainText = (value: unknown, maxCharacters: number): string =>
  typeof value === 'string' ? truncateText(stripTerminalSequences(value), maxCharacters) : ''

const toCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0

const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
