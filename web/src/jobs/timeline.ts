/** Turns the events of a turn into steps to display. A tool call and its result are one step. */
import type { JobEvent } from '@colophon/sdk'

export type TurnStep = AgentText | Notice | ToolCall

interface AgentText {
  kind: 'text'
  id: string
  text: string
}

/** A notice from the server or the runner, or the start of another attempt. */
interface Notice {
  kind: 'notice'
  id: string
  text: string
}

export interface ToolCall {
  kind: 'tool_call'
  id: string
  tool: string
  /** The most telling argument, in one line: a path, a command, … */
  subject: string
  input: string
  startedAt: string
  /** Null if there is no result, or not yet. */
  result: { output: string; isError: boolean; durationMs: number } | null
  /** The runner was lost, so there will be no result. */
  isLost: boolean
}

/** The agent's title and summary for the pull request. Not shown in the conversation. */
const pullRequestBlock = /<pull-request>[\s\S]*?(?:<\/pull-request>|$)/g

export function toTurnSteps(events: readonly JobEvent[]): TurnStep[] {
  const steps: TurnStep[] = []
  let pendingCalls = new Map<string, ToolCall>()
  let attempt = events[0]?.attempt
  for (const event of events) {
    if (event.attempt !== attempt) {
      attempt = event.attempt
      for (const call of pendingCalls.values()) call.isLost = true
      pendingCalls = new Map()
      steps.push({
        kind: 'notice',
        id: `attempt ${event.id}`,
        text: 'The runner was lost. Another runner started the turn again.',
      })
    }
    switch (event.type) {
      case 'tool_call': {
        const call = toToolCall(event)
        steps.push(call)
        if (event.callId !== undefined) pendingCalls.set(event.callId, call)
        break
      }
      case 'tool_result': {
        const call = pendingCalls.get(event.callId ?? '')
        if (!call) break
        pendingCalls.delete(event.callId ?? '')
        const durationMs = Math.max(0, Date.parse(event.at) - Date.parse(call.startedAt))
        call.result = { output: event.output ?? '', isError: event.isError === true, durationMs }
        break
      }
      case 'text': {
        const text = (event.text ?? '').replace(pullRequestBlock, '').trim()
        if (text !== '') steps.push({ kind: 'text', id: event.id, text })
        break
      }
      default: // a notice, or a type of a newer server
        if (event.text !== undefined) steps.push({ kind: 'notice', id: event.id, text: event.text })
    }
  }
  return steps
}

function toToolCall({ id, at, tool = 'tool', input = '' }: JobEvent): ToolCall {
  return { kind: 'tool_call', id, tool, subject: subjectOf(input), input, startedAt: at, result: null, isLost: false }
}

const subjectFields = ['path', 'file_path', 'command', 'pattern', 'query', 'url']

function subjectOf(input: string): string {
  const fields = parseInput(input)
  const subjectField = subjectFields.find((name) => typeof fields[name] === 'string' && fields[name] !== '')
  const subject = subjectField ? fields[subjectField] : Object.values(fields).find((value) => typeof value === 'string')
  return typeof subject === 'string' ? (subject.trim().split('\n')[0] ?? '') : ''
}

/** The arguments of a call. Strings keep their line breaks instead of being escaped as in JSON. */
export const parseToolArguments = (input: string): readonly (readonly [name: string, value: string])[] =>
  Object.entries(parseInput(input)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])

function parseInput(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { input }
  } catch {
    return input === '' ? {} : { input } // truncated, because it was too long
  }
}

/** The final message of the agent is the reply of the turn, which is shown separately. */
export function omitReplyStep(steps: readonly TurnStep[], reply: string | null): readonly TurnStep[] {
  const last = steps.at(-1)
  const isReply = reply !== null && reply !== '' && last?.kind === 'text' && last.text.includes(reply.trim())
  return isReply ? steps.slice(0, -1) : steps
}

/** Compares event IDs, `turn.attempt.index`, number by number. */
export function isEventIdAfter(id: string, other: string | undefined): boolean {
  if (other === undefined) return true
  const left = id.split('.').map(Number)
  const right = other.split('.').map(Number)
  const position = left.findIndex((part, index) => part !== right[index])
  return position >= 0 && (left[position] ?? 0) > (right[position] ?? 0)
}
