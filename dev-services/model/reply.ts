import type { Step, Usage } from './script.ts'

/** A step, ready to be said in any wire format. */
export type Reply = {
  content:
    | { kind: 'answer'; text: string; calls: { tool: string; argumentsJson: string }[] }
    | { kind: 'refusal'; text: string }
  usage: Usage
  createdAtSeconds: number
  /** A fresh id with the vendor's prefix, such as `toolu_`. */
  newId: (prefix: string) => string
}

export function replyFor(
  step: Step,
  { requestBytes, createdAtSeconds, newId }: { requestBytes: number } & Pick<Reply, 'createdAtSeconds' | 'newId'>,
): Reply {
  const content = contentOf(step)
  const usage = { ...estimatedUsage(content, requestBytes), ...step.usage }
  return { content, usage, createdAtSeconds, newId }
}

function contentOf(step: Step): Reply['content'] {
  if ('refuse' in step) return { kind: 'refusal', text: step.refuse }
  if ('sayBytes' in step) return { kind: 'answer', text: filler(step.sayBytes), calls: [] }
  const calls = 'call' in step ? step.call : []
  return {
    kind: 'answer',
    text: step.say ?? '',
    calls: calls.map((call) => ({
      tool: call.tool,
      argumentsJson: 'arguments' in call ? JSON.stringify(call.arguments) : call.malformedArguments,
    })),
  }
}

/** Four bytes a token, the vendors' own rule of thumb: the same for the same words, so that tests can add it up. */
function estimatedUsage(content: Reply['content'], requestBytes: number): Usage {
  const calls = content.kind === 'answer' ? content.calls.map((call) => call.tool + call.argumentsJson).join('') : ''
  return {
    inputTokens: Math.ceil(requestBytes / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(Buffer.byteLength(content.text + calls) / 4),
  }
}

function filler(sizeBytes: number): string {
  const line = 'A long answer says little, and says it again on the next line.\n'
  return line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes)
}

/** As a vendor streams: a few words at a time, never half a character. A huge text comes in at most ~4,000 pieces. */
export function* piecesOf(text: string): Generator<string> {
  const pieceLength = Math.max(24, Math.ceil(text.length / 4000))
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    const splitsCharacter = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    const stop = splitsCharacter ? end + 1 : end
    yield text.slice(start, stop)
    start = stop
  }
}
