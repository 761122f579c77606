import { objectsIn } from './json.ts'

/** A conversation, independent of the wire format. */
export type Conversation = {
  model: string
  toolsOffered: string[]
  turns: ConversationTurn[]
}

export type ConversationTurn =
  | { by: 'user'; text: string }
  | { by: 'assistant'; calls: { id: string; tool: string }[] }
  | { by: 'tool'; callId: string; output: string }

export function lastInstruction({ turns }: Conversation): string {
  const turn = turns[lastInstructionIndex(turns)]
  return turn?.by === 'user' ? turn.text : ''
}

/**
 * The number of responses since the last instruction.
 * A response may be several consecutive turns here (text, then each call). They count once.
 */
export function countResponsesSinceInstruction({ turns }: Conversation): number {
  const since = turns.slice(lastInstructionIndex(turns) + 1)
  return since.filter((turn, index) => turn.by === 'assistant' && since[index - 1]?.by !== 'assistant').length
}

/** Returns the output of the first call of the tool since the last instruction. */
export function findToolOutput(tool: string, { turns }: Conversation): string | undefined {
  const since = turns.slice(lastInstructionIndex(turns) + 1)
  const call = since.flatMap((turn) => (turn.by === 'assistant' ? turn.calls : [])).find((call) => call.tool === tool)
  return since.flatMap((turn) => (turn.by === 'tool' && turn.callId === call?.id ? [turn.output] : []))[0]
}

/** The text of a message or a tool result: a string, or a list of parts of which some are text. */
export function textOf(content: unknown, textPartType: 'text' | 'input_text' = 'text'): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .flatMap((part) => (part.type === textPartType ? [String(part.text)] : []))
    .join('\n')
}

function lastInstructionIndex(turns: ConversationTurn[]): number {
  return turns.findLastIndex((turn) => turn.by === 'user' && turn.text.trim() !== '')
}
