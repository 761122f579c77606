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
  model: Type.String(),
  deadlineAt: Type.String({ format: 'date-time' }),
  /** A sign of life is wanted at least this often. */
  heartbeatSeconds: Type.Number(),
})
export type ClaimedTurn = Static<typeof ClaimedTurn>

/** `POST /runner/heartbeat`, with the attempt's token: a sign of life; the answer says whether to stop. */
export const HeartbeatAnswer = Type.Object({
  stop: Type.Union([Type.Enum(['cancelled', 'deadline']), Type.Null()]),
})
export type HeartbeatAnswer = Static<typeof HeartbeatAnswer>

const base64 = (mostBytes: number) =>
  Type.String({ maxLength: Math.ceil(mostBytes / 3) * 4, pattern: '^[A-Za-z0-9+/]*={0,2}$' })

export const mostBundleBytes = 24 * 1024 * 1024
export const mostSessionBytes = 20 * 1024 * 1024

/** `POST /runner/result`, with the attempt's token: how the try ended. */
export const TurnReport = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('result'),
      baseCommit: Type.String({ pattern: commitId }),
      /** A git bundle of `base..HEAD`; null: nothing was changed. */
      bundle: Type.Union([base64(mostBundleBytes), Type.Null()]),
      session: Type.Union([base64(mostSessionBytes), Type.Null()]),
      title: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
      summary: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      reply: Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()]),
      checks: Type.Array(
        Type.Object({
          name: Type.String({ maxLength: 200 }),
          status: Type.Enum(['passed', 'failed']),
          findings: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 100 }),
        }),
        { maxItems: 50 },
      ),
      usage: Type.Object({
        inputTokens: Type.Integer({ minimum: 0, maximum: 1e12 }),
        outputTokens: Type.Integer({ minimum: 0, maximum: 1e12 }),
      }),
    },
    { additionalProperties: false },
  ),
  /** The engine broke: it is tried again, a few times. */
  Type.Object(
    { kind: Type.Literal('engine_failed'), message: Type.String({ maxLength: 2_000 }) },
    { additionalProperties: false },
  ),
  /** Stopped because it was asked to. */
  Type.Object({ kind: Type.Literal('stopped') }, { additionalProperties: false }),
  /** The runner shuts down and hands the turn back: it costs the turn nothing. */
  Type.Object({ kind: Type.Literal('handed_back') }, { additionalProperties: false }),
])
export type TurnReport = Static<typeof TurnReport>
