/** The protocol between runner and gateway. */
import Type, { type Static } from 'typebox'

const commitId = '^[0-9a-f]{40}([0-9a-f]{24})?$'

/** `POST /runner/claim`, with the runner's token: waits for a queued turn and claims it. */
export const ClaimRequest = Type.Object(
  {
    waitSeconds: Type.Integer({ minimum: 0, maximum: 50 }),
    /** Different for every start of a runner: several runners can share a token. */
    processId: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
  },
  { additionalProperties: false },
)

/** `GET /runner/self`, with the runner's token. */
export const RunnerDescription = Type.Object({
  /** It gets turns of all projects. */
  isShared: Type.Boolean(),
})
export type RunnerDescription = Static<typeof RunnerDescription>

/** All that a runner needs for one attempt at a turn. */
export const ClaimedTurn = Type.Object({
  turnId: Type.String(),
  /** Valid for this attempt only. */
  attemptToken: Type.String(),
  prompt: Type.String(),
  /** The failed CI check that the prompt is about. Its text is not trusted: it is material, not instructions. */
  failedCheck: Type.Union([
    Type.Object({
      name: Type.String(),
      summary: Type.Union([Type.String(), Type.Null()]),
      log: Type.Union([Type.String(), Type.Null()]),
    }),
    Type.Null(),
  ]),
  model: Type.String(),
  /** The wire format of the model at the gateway, and its limits. */
  modelSettings: Type.Object({
    format: Type.Enum(['anthropic-messages', 'openai-completions', 'openai-responses']),
    contextTokens: Type.Integer(),
    maxOutputTokens: Type.Integer(),
  }),
  /** For runners of version 0.1.0: the first docs folder. */
  docsFolder: Type.Optional(Type.String()),
  /** What the result may change. Only for the agent and its docs checks: the worker applies the rules to the result. */
  changeRules: Type.Object({
    /** An empty one is the whole repository. */
    docsFolders: Type.Array(Type.String()),
    /** Further files of any type, and folders, which end with a slash. */
    allowedPaths: Type.Array(Type.String()),
    /** The site generator that a person chose. Null: it is recognized. */
    siteGenerator: Type.Union([Type.String(), Type.Null()]),
    /** `hold`: a person may approve active content. */
    activeContent: Type.Enum(['refuse', 'hold']),
  }),
  /** The project's instructions for every job. */
  instructions: Type.Union([Type.String(), Type.Null()]),
  /** The conversation of the previous turns, as the agent saved it, in Base64. */
  session: Type.Union([Type.String(), Type.Null()]),
  /** Messages since the last accepted turn whose turns failed. They are not part of the conversation in `session`. */
  failedMessages: Type.Array(Type.Object({ prompt: Type.String(), reason: Type.String() })),
  /** The job's own branch while its pull request is open, otherwise the branch that the job is for. */
  startBranch: Type.String(),
  /** The agent has to resolve the conflicts with this branch: it is merged into `startBranch` first. Null: nothing is merged. */
  mergeBranch: Type.Union([Type.String(), Type.Null()]),
  /**
   * For a job that does not push: a bundle of what its turns have done so far, based on `baseCommit`. The turn continues from
   * its HEAD, and the new bundle again contains everything since the base.
   */
  unpublishedWork: Type.Union([Type.Object({ baseCommit: Type.String(), bundle: Type.String() }), Type.Null()]),
  /** For runners of version 0.1.0, whose clock has to be right. */
  deadlineAt: Type.String({ format: 'date-time' }),
  /** Until the deadline. */
  secondsLeft: Type.Number(),
  /** The runner must send a heartbeat at least this often. The response says whether to stop. */
  heartbeatSeconds: Type.Number(),
})
export type ClaimedTurn = Static<typeof ClaimedTurn>

const maxEventCharacters = 64 * 1024
const Text = Type.String({ maxLength: maxEventCharacters })
const At = Type.String({ format: 'date-time' })

/** A step of the agent, shown to people who follow the job. */
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
 * `POST /runner/events`, with the attempt's token: the events since the last upload. An upload is also a heartbeat, even without
 * events, and the response says whether to stop. After a lost response the runner sends the same upload again.
 */
export const EventUpload = Type.Object(
  {
    /** Index of the first event among all events of this attempt, from 0. */
    firstIndex: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
    events: Type.Array(AgentEvent, { maxItems: 1_000 }),
  },
  { additionalProperties: false },
)
export type EventUpload = Static<typeof EventUpload>

export const EventUploadResponse = Type.Object({
  /** The reason to end the attempt at once, with all its processes. Null: continue. */
  stop: Type.Union([Type.Enum(['cancelled', 'deadline', 'budget', 'paused']), Type.Null()]),
})
export type EventUploadResponse = Static<typeof EventUploadResponse>

export const maxBundleBytes = 24 * 1024 * 1024
export const maxSessionBytes = 8 * 1024 * 1024
const nullableSize = (maxBytes: number) => Type.Union([Type.Integer({ minimum: 0, maximum: maxBytes }), Type.Null()])

/**
 * `POST /runner/result`, with the attempt's token: how the attempt ended. The body is this header as one line of JSON, a line
 * feed, then the bytes of bundle and session. As Base64 in the JSON they took the gateway six times their size in memory (tried).
 */
export const ReportHeader = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('result'),
      baseCommit: Type.String({ pattern: commitId }),
      /** The head of `mergeBranch` that was merged. */
      mergedCommit: Type.Optional(Type.Union([Type.String({ pattern: commitId }), Type.Null()])),
      bundleBytes: nullableSize(maxBundleBytes),
      sessionBytes: nullableSize(maxSessionBytes),
      title: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
      summary: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      reply: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      checks: Type.Array(
        Type.Object(
          {
            name: Type.String({ maxLength: 200 }),
            /** `not_checked`: the check understands none of the changed pages. */
            status: Type.Enum(['passed', 'failed', 'not_checked']),
            findings: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 100 }),
            /** Names the changed pages that could not be checked, if others could. */
            note: Type.Optional(Type.String({ maxLength: 2_000 })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 50 },
      ),
    },
    { additionalProperties: false },
  ),
  /** The agent failed. The turn is retried a few times. */
  Type.Object(
    { kind: Type.Literal('agent_failed'), message: Type.String({ maxLength: 2_000 }) },
    { additionalProperties: false },
  ),
  /** Stopped because the gateway said so. */
  Type.Object({ kind: Type.Literal('stopped') }, { additionalProperties: false }),
  /** The runner released the attempt, for example at shutdown. Does not count as a failure of the turn. */
  Type.Object({ kind: Type.Literal('released') }, { additionalProperties: false }),
])
export type ReportHeader = Static<typeof ReportHeader>

export const reportMediaType = 'application/vnd.colophon.report'

type ResultHeader = Extract<ReportHeader, { kind: 'result' }>
type TurnResult = Omit<ResultHeader, 'bundleBytes' | 'sessionBytes'> & {
  /** A git bundle of `baseCommit..HEAD`. Null: nothing was changed. */
  bundle: Buffer | null
  session: Buffer | null
}
export type TurnReport = TurnResult | Exclude<ReportHeader, ResultHeader>

export function encodeReport(report: TurnReport): Buffer<ArrayBuffer> {
  const { header, bytes } = report.kind === 'result' ? splitResult(report) : { header: report, bytes: [] }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...bytes])
}

function splitResult({ bundle, session, ...rest }: TurnResult): { header: ResultHeader; bytes: Buffer[] } {
  const sizes = { bundleBytes: bundle?.length ?? null, sessionBytes: session?.length ?? null }
  return { header: { ...rest, ...sizes }, bytes: [bundle, session].filter((part) => part !== null) }
}

/** Undefined: the number of bytes is not what the header says. */
export function decodeReport(header: ReportHeader, bytes: Buffer): TurnReport | undefined {
  if (header.kind !== 'result') return bytes.length === 0 ? header : undefined
  const { bundleBytes, sessionBytes, ...rest } = header
  const expectedBytes = (bundleBytes ?? 0) + (sessionBytes ?? 0)
  if (bytes.length !== expectedBytes) return undefined
  return {
    ...rest,
    bundle: bundleBytes === null ? null : bytes.subarray(0, bundleBytes),
    session: sessionBytes === null ? null : bytes.subarray(bundleBytes ?? 0),
  }
}
