/** The interface between the runner and an agent. `testing/agent-contract.ts` has the tests that every agent must pass. */

import type { ReadOnlyMount } from '../sandbox/bubblewrap.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

export interface CodingAgent {
  readonly name: string
  /** Mounts that the agent needs in the sandbox. */
  readonly mounts: readonly ReadOnlyMount[]
  /**
   * Called once, before the first turn, in a sandbox that no model has used. It may keep what makes later starts faster. It must
   * not keep anything from a turn, because one job could then influence the next.
   */
  warmUp(sandbox: Sandbox): Promise<void>
  /**
   * Works on one prompt in a sandbox whose `/workspace` is the checkout, and returns when none of its processes is left.
   * Failures of the agent, the model or the sandbox are stop reasons, not exceptions.
   */
  run(turn: AgentRunInput): Promise<AgentRunResult>
}

export interface AgentRunInput {
  sandbox: Sandbox
  model: AgentModelAccess
  systemPrompt: string
  prompt: string
  /** The session of the previous turn's result, to continue its conversation. Null: a new conversation. */
  session: Buffer | null
  /** Called as events happen, with plain text of limited length, without terminal control sequences. */
  onEvent(event: AgentRunEvent): void
  /** Aborts the work at once. The result has what was done until then. */
  signal: AbortSignal
}

export const modelApiFormats = ['anthropic-messages', 'openai-completions', 'openai-responses'] as const
export type ModelApiFormat = (typeof modelApiFormats)[number]

export interface AgentModelAccess {
  id: string
  format: ModelApiFormat
  /** The path of the model at the gateway, without `/v1`. */
  path: string
  contextTokens: number
  maxOutputTokens: number
}

export type AgentRunEvent =
  | { kind: 'text'; text: string }
  | { kind: 'tool_call'; callId: string; tool: string; arguments: Record<string, string> }
  | { kind: 'tool_result'; callId: string; tool: string; isError: boolean; output: string }
  /** From the agent program itself: a retry, a compaction. */
  | { kind: 'notice'; text: string }

export interface AgentRunResult {
  stop: AgentStopReason
  /** The agent's final message, or an empty string. */
  reply: string
  usage: AgentUsage
  /** For the next turn's `session`. Null: there is nothing to keep. */
  session: Buffer | null
}

export type AgentStopReason =
  /** The agent considers its work done. */
  | { kind: 'finished' }
  /** The model's response reached its maximum length. */
  | { kind: 'length_limit' }
  | { kind: 'aborted' }
  /** Includes a model that declines the request. */
  | { kind: 'model_failed'; message: string }
  | { kind: 'agent_failed'; message: string }

/** Disjoint counts, for information. Billing uses the counts of the gateway. */
export interface AgentUsage {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
