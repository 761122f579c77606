/** The responses of the model, one step per call. `README.md` describes how a prompt selects or contains a script. */
export type Script = readonly Step[]

/** A response, and the fault that occurs first. */
export type Step = StepContent & {
  /** Omitted values are estimated from the lengths of request and response. */
  usage?: Partial<Usage>
  /** Reports no usage, as some providers with OpenAI's chat completions do. The other formats always report it. */
  withoutUsage?: true
  fault?: Fault
  /** Repeats the step for all later calls. Only in the last step. */
  endless?: true
}

export type StepContent =
  | { say: string }
  | { say?: string; call: ToolCall[] }
  | { sayBytes: number }
  | { refuse: string }

/** `malformedArguments` is sent unchanged in place of the JSON text of the arguments. */
export type ToolCall = { tool: string } & ({ arguments: Record<string, unknown> } | { malformedArguments: string })

/** Occurs `times` times (default: 1) in this step of a conversation. After that, the step is played normally. */
export type Fault = { times?: number } & (
  | { kind: 'status'; status: FaultStatus; retryAfterSeconds?: number }
  | { kind: 'cut'; afterChunks: number }
  | { kind: 'silence'; afterChunks: number; milliseconds: number }
  | { kind: 'drip'; milliseconds: number }
)

/** 529 is Anthropic's "overloaded". In OpenAI's formats it becomes 503. */
export type FaultStatus = 401 | 429 | 500 | 529

/** Disjoint counts, as Anthropic reports them. The OpenAI formats add cached tokens to the input. */
export type Usage = {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
