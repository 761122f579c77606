/** The seam between the runner and whatever agent does the work. `testing/engine-contract.ts` is what any engine must pass. */
import type { Box } from '../sandbox/box.ts'
import type { ReadOnlyMount } from '../sandbox/bubblewrap.ts'

export interface CodingAgent {
  readonly name: string
  /** What it has to see in the box. */
  readonly mounts: readonly ReadOnlyMount[]
  /**
   * Once, before the first turn, in a box where no model has been: what it learns there makes later starts faster. It must
   * not learn from a turn, or one job could reach into the next.
   */
  warmUp(box: Box): Promise<void>
  /**
   * Works on one prompt in a box whose `/workspace` holds the checkout, and returns when no process of it is left. What the
   * engine, the model or the box does wrong is a way of stopping, not an exception.
   */
  run(turn: AgentTurn): Promise<AgentRunResult>
}

export interface AgentTurn {
  box: Box
  model: AgentModelAccess
  systemPrompt: string
  prompt: string
  /** What an earlier turn's result had: the conversation goes on. Null: it begins. */
  session: Buffer | null
  /** As it happens. Plain text of bounded length, without anything that a terminal would obey. */
  onEvent(event: AgentRunEvent): void
  /** Ends the work at once. The result tells how far it came. */
  signal: AbortSignal
}

export const wireFormats = ['anthropic-messages', 'openai-completions', 'openai-responses'] as const
export type WireFormat = (typeof wireFormats)[number]

export interface AgentModelAccess {
  id: string
  wire: WireFormat
  /** Where the model is at the gateway; what comes before `/v1`. */
  path: string
  contextTokens: number
  maxOutputTokens: number
}

export type AgentRunEvent =
  | { kind: 'text'; text: string }
  | { kind: 'tool_call'; callId: string; tool: string; arguments: Record<string, string> }
  | { kind: 'tool_result'; callId: string; tool: string; isError: boolean; output: string }
  /** Of the engine itself: it tries again, it makes room. */
  | { kind: 'notice'; text: string }

export interface AgentRunResult {
  stop: AgentStopReason
  /** The agent's last words; empty where it had none. */
  reply: string
  usage: AgentUsage
  /** For the next turn's `session`. Null where there is nothing worth keeping. */
  session: Buffer | null
}

export type AgentStopReason =
  /** The agent has done what it wanted to do. */
  | { kind: 'finished' }
  /** The model's answer was cut at its greatest length. */
  | { kind: 'cut_short' }
  | { kind: 'aborted' }
  /** Also a model that declines. */
  | { kind: 'model_failed'; message: string }
  | { kind: 'agent_failed'; message: string }

/** Disjoint counts. For people to see; what is paid for is counted by the gateway. */
export interface AgentUsage {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
