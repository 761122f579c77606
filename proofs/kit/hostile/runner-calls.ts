/** The runner API, call by call, as somebody would use it who means no good. */
import pg from 'pg'
import { type ClaimedTurn, reportMediaType } from '../../../server/src/runner-wire/runner-wire.ts'
import type { ProofRun } from '../../proof.ts'
import { bearer, call } from '../http-call.ts'
import type { RunningService } from '../running-service.ts'

export interface RunnerCalls {
  /** Undefined: there was nothing to do. */
  claim(token: string, waitSeconds: number): Promise<ClaimedTurn | undefined>
  /**
   * Claims until this job's turn comes; what comes meanwhile is kept for who waits for it. Signs of life are sent for it
   * until it is over, unless it is to be `silent`.
   */
  claimFor(token: string, jobId: string, manner?: 'silent'): Promise<ClaimedTurn>
  send(request: RunnerRequest): Promise<{ status: number; code: string }>
  /** All that the database holds of a turn's work. */
  stored(turnId: string): Promise<string>
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

const beatEveryMs = 700
const maxWaitMs = 300_000

export interface RunnerRequest {
  path: 'claim' | 'events' | 'result'
  token: string | undefined
  /** Sent as it is when it is text or bytes, else as JSON. */
  body: unknown
  /** Those that the path wants, unless said. */
  headers?: readonly string[]
}

const typeFor = (path: RunnerRequest['path']) => [
  'content-type',
  path === 'result' ? reportMediaType : 'application/json',
]

export function runnerCalls(run: ProofRun, { instance }: RunningService, gatewayUrl: string): RunnerCalls {
  const pool = new pg.Pool({ connectionString: instance.postgresUrl, max: 4 })
  run.cleanUp(() => pool.end())
  const kept = new Map<string, { turn: ClaimedTurn; stopBeating: () => void }>()

  const query: RunnerCalls['query'] = async (sql, values) => (await pool.query(sql, values)).rows

  const send: RunnerCalls['send'] = async ({ path, token, body, headers = typeFor(path) }) => {
    const response = await call({
      method: 'POST',
      url: `${gatewayUrl}/runner/${path}`,
      headers: [...(token === undefined ? [] : bearer(token)), ...headers],
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    })
    const { code = '' } = response.status >= 400 ? (JSON.parse(response.text) as { code?: string }) : {}
    return { status: response.status, code }
  }

  const claim: RunnerCalls['claim'] = async (token, waitSeconds) => {
    const response = await call({
      method: 'POST',
      url: `${gatewayUrl}/runner/claim`,
      headers: [...bearer(token), 'content-type', 'application/json'],
      body: JSON.stringify({ waitSeconds }),
    })
    return response.status === 200 ? (JSON.parse(response.text) as ClaimedTurn) : undefined
  }

  const keepAlive = ({ attemptToken }: ClaimedTurn): (() => void) => {
    const beat = async () => {
      const { status } = await send({ path: 'events', token: attemptToken, body: { firstIndex: 0, events: [] } })
      if (status === 404) clearInterval(beating)
    }
    const beating = setInterval(() => void beat().catch(() => {}), beatEveryMs)
    run.cleanUp(async () => clearInterval(beating))
    return () => clearInterval(beating)
  }

  return {
    claim,
    async claimFor(token, jobId, manner) {
      const until = Date.now() + maxWaitMs
      for (;;) {
        const mine = kept.get(jobId)
        kept.delete(jobId)
        if (mine && manner === 'silent') mine.stopBeating()
        if (mine) return mine.turn
        if (Date.now() > until) throw new Error(`the turn of job ${jobId} was never offered`)
        const turn = await claim(token, 1)
        if (!turn) continue
        const [row] = await query<{ job_id: string }>('SELECT job_id FROM turn WHERE id = $1', [turn.turnId])
        kept.set(row?.job_id ?? '', { turn, stopBeating: keepAlive(turn) })
      }
    },
    send,
    async stored(turnId) {
      const rows = await query(
        `SELECT turn.status, turn.agent_failures,
           (SELECT json_agg(json_build_array(number, ended_at, event_bytes) ORDER BY number)
            FROM turn_attempt WHERE turn_id = turn.id) AS attempts,
           (SELECT md5(result::text) FROM turn_result AS result WHERE turn_id = turn.id) AS result,
           (SELECT count(*) FROM job_event AS event WHERE event.job_id = turn.job_id) AS uploads
         FROM turn WHERE turn.id = $1`,
        [turnId],
      )
      return JSON.stringify(rows)
    },
    query,
  }
}
