/** What the model does, one step per call of a conversation. `README.md` says how a prompt names or carries a script. */
export type Script = readonly Step[]

/** An answer, and what goes wrong on the way to it. */
export type Step = Answer & {
  /** What is not said is estimated from the lengths of question and answer. */
  usage?: Partial<Usage>
  fault?: Fault
  /** Played for this call and for every later one; only the last step may be. */
  endless?: true
}

export type Answer = { say: string } | { say?: string; call: ToolCall[] } | { sayBytes: number } | { refuse: string }

/** `malformedArguments` is sent as it stands, where the vendor sends the arguments as JSON text. */
export type ToolCall = { tool: string } & ({ arguments: Record<string, unknown> } | { malformedArguments: string })

/** It strikes `times` times (1 unless said) at this step of a conversation; after that the step is played as written. */
export type Fault = { times?: number } & (
  | { kind: 'status'; status: FaultStatus; retryAfterSeconds?: number }
  | { kind: 'cut'; afterChunks: number }
  | { kind: 'silence'; afterChunks: number; milliseconds: number }
  | { kind: 'drip'; milliseconds: number }
)

/** 529 is Anthropic's "overloaded"; OpenAI says the same with 503, and so do we in its formats. */
export type FaultStatus = 401 | 429 | 500 | 529

/** Disjoint counts, as Anthropic reports them; the OpenAI formats add the cached ones to the input. */
export type Usage = {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
