/** What the agent did in a turn, as steps that people can follow: a call and its result are one step. */
import type { JobEvent } from '@colophon/sdk'

export type Step = Said | Noticed | ToolCall

interface Said {
  kind: 'said'
  id: string
  text: string
}

/** Also where another runner began the turn anew. */
interface Noticed {
  kind: 'noticed'
  id: string
  text: string
}

export interface ToolCall {
  kind: 'called'
  id: string
  tool: string
  /** What it was about, in one line. */
  on: string
  input: string
  startedAt: string
  /** Null: nothing came back, or not yet. */
  result: { output: string; failed: boolean; tookMs: number } | null
  /** Its runner was lost: nothing will come back. */
  isLost: boolean
}

/** What the agent writes for the pull request, and not for whoever follows along. */
const pullRequestBlock = /<pull-request>[\s\S]*?(?:<\/pull-request>|$)/g

export function stepsOf(events: readonly JobEvent[]): Step[] {
  const steps: Step[] = []
  let open = new Map<string, ToolCall>()
  let attempt = events[0]?.attempt
  for (const event of events) {
    if (event.attempt !== attempt) {
      attempt = event.attempt
      for (const call of open.values()) call.isLost = true
      open = new Map()
      steps.push({
        kind: 'noticed',
        id: `anew ${event.id}`,
        text: 'The runner was lost. Another one began the turn anew.',
      })
    }
    switch (event.type) {
      case 'tool_call': {
        const call = callOf(event)
        steps.push(call)
        if (event.callId !== undefined) open.set(event.callId, call)
        break
      }
      case 'tool_result': {
        const call = open.get(event.callId ?? '')
        if (!call) break
        open.delete(event.callId ?? '')
        const tookMs = Math.max(0, Date.parse(event.at) - Date.parse(call.startedAt))
        call.result = { output: event.output ?? '', failed: event.isError === true, tookMs }
        break
      }
      case 'text': {
        const text = (event.text ?? '').replace(pullRequestBlock, '').trim()
        if (text !== '') steps.push({ kind: 'said', id: event.id, text })
        break
      }
      default: // a notice, or a kind that a later server knows
        if (event.text !== undefined) steps.push({ kind: 'noticed', id: event.id, text: event.text })
    }
  }
  return steps
}

function callOf({ id, at, tool = 'tool', input = '' }: JobEvent): ToolCall {
  return { kind: 'called', id, tool, on: subjectOf(input), input, startedAt: at, result: null, isLost: false }
}

const tellingFields = ['path', 'file_path', 'command', 'pattern', 'query', 'url']

function subjectOf(input: string): string {
  const fields = parsed(input)
  const telling = tellingFields.find((name) => typeof fields[name] === 'string' && fields[name] !== '')
  const subject = telling ? fields[telling] : Object.values(fields).find((value) => typeof value === 'string')
  return typeof subject === 'string' ? (subject.trim().split('\n')[0] ?? '') : ''
}

/** The input as people read it: long texts with their lines, not as JSON has them. */
export const inputFields = (input: string): readonly (readonly [name: string, value: string])[] =>
  Object.entries(parsed(input)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])

function parsed(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { input }
  } catch {
    return input === '' ? {} : { input } // cut where it was too long
  }
}

/** The agent's last words are the turn's reply, which is shown by itself. */
export function withoutReply(steps: readonly Step[], reply: string | null): readonly Step[] {
  const last = steps.at(-1)
  const isReply = reply !== null && reply !== '' && last?.kind === 'said' && last.text.includes(reply.trim())
  return isReply ? steps.slice(0, -1) : steps
}

/** Where an event stands among all of its job. */
export function isAfter(id: string, other: string | undefined): boolean {
  if (other === undefined) return true
  const one = id.split('.').map(Number)
  const two = other.split('.').map(Number)
  const place = one.findIndex((part, index) => part !== two[index])
  return place >= 0 && (one[place] ?? 0) > (two[place] ?? 0)
}
