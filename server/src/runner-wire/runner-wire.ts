/** What runner and gateway say to each other. */
import Type, { type Static } from 'typebox'

const commitId = '^[0-9a-f]{40}([0-9a-f]{24})?$'

/** `POST /runner/claim`, with the runner's own token: waits for a turn and takes it up. */
export const ClaimRequest = Type.Object(
  { waitSeconds: Type.Integer({ minimum: 0, maximum: 50 }) },
  { additionalProperties: false },
)

/** All that a runner needs for one try at one turn. */
export const ClaimedTurn = Type.Object({
  turnId: Type.String(),
  /** Good for this try alone. */
  attemptToken: Type.String(),
  prompt: Type.String(),
  /** On the code host, that the prompt is about. Its words are whoever's: material, and no orders. */
  failedCheck: Type.Union([
    Type.Object({
      name: Type.String(),
      summary: Type.Union([Type.String(), Type.Null()]),
      log: Type.Union([Type.String(), Type.Null()]),
    }),
    Type.Null(),
  ]),
  model: Type.String(),
  /** How the model is spoken to at the gateway, and what fits into a call. */
  modelSettings: Type.Object({
    wire: Type.Enum(['anthropic-messages', 'openai-completions', 'openai-responses']),
    contextTokens: Type.Integer(),
    maxOutputTokens: Type.Integer(),
  }),
  /** Where the docs are in the repository; empty: all of it. */
  docsFolder: Type.String(),
  /** The project's own, for every job. */
  instructions: Type.Union([Type.String(), Type.Null()]),
  /** The conversation of the turns before, as the engine left it, in Base64. */
  session: Type.Union([Type.String(), Type.Null()]),
  /** What was asked for since the last turn that was accepted, and came to nothing. The conversation does not know of it. */
  notDone: Type.Array(Type.Object({ prompt: Type.String(), reason: Type.String() })),
  /** Where to begin: the job's own branch while its pull request is open, else the branch that the job is for. */
  startBranch: Type.String(),
  /**
   * For a job of which nothing is pushed: a bundle of what its turns did so far, on this commit. The work goes on from its
   * HEAD, and the new bundle is again of everything since the base.
   */
  earlier: Type.Union([Type.Object({ baseCommit: Type.String(), bundle: Type.String() }), Type.Null()]),
  deadlineAt: Type.String({ format: 'date-time' }),
  /** A sign of life is wanted at least this often. Its answer is how a stop is heard of. */
  heartbeatSeconds: Type.Number(),
})
export type ClaimedTurn = Static<typeof ClaimedTurn>

const maxEventCharacters = 64 * 1024
const Text = Type.String({ maxLength: maxEventCharacters })
const At = Type.String({ format: 'date-time' })

/** What the agent does, for people who follow along. */
export const AgentEvent = Type.Union([
  Type.Object({ type: Type.Literal('text'), at: At, text: Text }, { additionalProperties: false }),
  Type.Object(
    {
      type: Type.Literal('tool_call'),
      at: At,
      callId: Type.String({ maxLength: 200 }),
      tool: Type.String({ maxLength: 200 }),
      input: Text,
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      type: Type.Literal('tool_result'),
      at: At,
      callId: Type.String({ maxLength: 200 }),
      isError: Type.Boolean(),
      output: Text,
    },
    { additionalProperties: false },
  ),
  Type.Object({ type: Type.Literal('notice'), at: At, text: Text }, { additionalProperties: false }),
])
export type AgentEvent = Static<typeof AgentEvent>

/**
 * `POST /runner/events`, with the attempt's token: what happened since the last time, if only that time went by, as a sign of
 * life; the answer says whether to stop. After a lost answer the same is sent again.
 */
export const EventUpload = Type.Object(
  {
    /** Of all events of this try, counted from 0. */
    firstIndex: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
    events: Type.Array(AgentEvent, { maxItems: 1_000 }),
  },
  { additionalProperties: false },
)
export type EventUpload = Static<typeof EventUpload>

export const EventUploadResponse = Type.Object({
  /** Why to end at once, with all that was started, and to report `stopped`. */
  stop: Type.Union([Type.Enum(['cancelled', 'deadline', 'budget', 'paused']), Type.Null()]),
})
export type EventUploadResponse = Static<typeof EventUploadResponse>

export const maxBundleBytes = 24 * 1024 * 1024
export const maxSessionBytes = 8 * 1024 * 1024
const sizeOf = (maxBytes: number) => Type.Union([Type.Integer({ minimum: 0, maximum: maxBytes }), Type.Null()])

/**
 * `POST /runner/result`, with the attempt's token: how the try ended. A line of this as JSON, a line feed, then the bytes of
 * bundle and session: as Base64 in the JSON they took whoever reads them six times their size in memory (tried).
 */
export const ReportHead = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('result'),
      baseCommit: Type.String({ pattern: commitId }),
      bundleBytes: sizeOf(maxBundleBytes),
      sessionBytes: sizeOf(maxSessionBytes),
      title: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
      summary: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      reply: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      checks: Type.Array(
        Type.Object(
          {
            name: Type.String({ maxLength: 200 }),
            status: Type.Enum(['passed', 'failed']),
            findings: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 100 }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 50 },
      ),
      /** As the engine counts it. What a job used is what the gateway counted. */
    },
    { additionalProperties: false },
  ),
  /** The engine broke: it is tried again, a few times. */
  Type.Object(
    { kind: Type.Literal('agent_failed'), message: Type.String({ maxLength: 2_000 }) },
    { additionalProperties: false },
  ),
  /** Stopped because it was asked to. */
  Type.Object({ kind: Type.Literal('stopped') }, { additionalProperties: false }),
  /** The runner shuts down and hands the turn back: it costs the turn nothing. */
  Type.Object({ kind: Type.Literal('handed_back') }, { additionalProperties: false }),
])
export type ReportHead = Static<typeof ReportHead>

export const reportMediaType = 'application/vnd.colophon.report'

type ResultHead = Extract<ReportHead, { kind: 'result' }>
type TurnResult = Omit<ResultHead, 'bundleBytes' | 'sessionBytes'> & {
  /** A git bundle of `base..HEAD`; null: nothing was changed. */
  bundle: Buffer | null
  session: Buffer | null
}
export type TurnReport = TurnResult | Exclude<ReportHead, ResultHead>

export function encodeReport(report: TurnReport): Buffer<ArrayBuffer> {
  const { head, bytes } = report.kind === 'result' ? split(report) : { head: report, bytes: [] }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...bytes])
}

function split({ bundle, session, ...rest }: TurnResult): { head: ResultHead; bytes: Buffer[] } {
  const sizes = { bundleBytes: bundle?.length ?? null, sessionBytes: session?.length ?? null }
  return { head: { ...rest, ...sizes }, bytes: [bundle, session].filter((part) => part !== null) }
}

/** Undefined: the bytes are more or fewer than the head says. */
export function joinReport(head: ReportHead, bytes: Buffer): TurnReport | undefined {
  if (head.kind !== 'result') return bytes.length === 0 ? head : undefined
  const { bundleBytes, sessionBytes, ...rest } = head
  const end = (bundleBytes ?? 0) + (sessionBytes ?? 0)
  if (bytes.length !== end) return undefined
  return {
    ...rest,
    bundle: bundleBytes === null ? null : bytes.subarray(0, bundleBytes),
    session: sessionBytes === null ? null : bytes.subarray(bundleBytes ?? 0),
  }
}
