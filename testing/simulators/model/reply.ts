import type { Step, Usage } from './script.ts'

/** The content of a response, independent of the wire format. */
export type Reply = {
  content:
    | { kind: 'message'; text: string; calls: { tool: string; argumentsJson: string }[] }
    | { kind: 'refusal'; text: string }
  usage: Usage
  reportsUsage: boolean
  createdAtSeconds: number
  /** Returns a new ID with the provider's prefix, such as `toolu_`. */
  newId: (prefix: string) => string
}

export function replyFor(
  step: Step,
  { requestBytes, createdAtSeconds, newId }: { requestBytes: number } & Pick<Reply, 'createdAtSeconds' | 'newId'>,
): Reply {
  const content = contentOf(step)
  const usage = { ...estimatedUsage(content, requestBytes), ...step.usage }
  return { content, usage, reportsUsage: step.withoutUsage !== true, createdAtSeconds, newId }
}

function contentOf(step: Step): Reply['content'] {
  if ('refuse' in step) return { kind: 'refusal', text: step.refuse }
  if ('sayBytes' in step) return { kind: 'message', text: filler(step.sayBytes), calls: [] }
  const calls = 'call' in step ? step.call : []
  return {
    kind: 'message',
    text: step.say ?? '',
    calls: calls.map((call) => ({
      tool: call.tool,
      argumentsJson: 'arguments' in call ? JSON.stringify(call.arguments) : call.malformedArguments,
    })),
  }
}

/** Four bytes per token, the providers' rule of thumb. Deterministic, so that tests can compute sums. */
function estimatedUsage(content: Reply['content'], requestBytes: number): Usage {
  const calls = content.kind === 'message' ? content.calls.map((call) => call.tool + call.argumentsJson).join('') : ''
  return {
    inputTokens: Math.ceil(requestBytes / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(Buffer.byteLength(content.text + calls) / 4),
  }
}

function filler(sizeBytes: number): string {
  const line = 'This is a line of a long response, and the next line is the same.\n'
  return line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes)
}

/**
 * Splits a text as providers stream it: a few words at a time, without splitting characters, and into at most about
 * 4,000 pieces.
 */
export function* splitText(text: string): Generator<string> {
  const pieceLength = Math.max(24, Math.ceil(text.length / 4000))
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    const splitsCharacter = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    const stop = splitsCharacter ? end + 1 : end
    yield text.slice(start, stop)
    start = stop
  }
}
