/** A low-level client of the runner API that can send any request, including malformed ones. */

import type pg from 'pg'
import { type ClaimedTurn, reportMediaType } from '../../server/src/runner-wire/runner-wire.ts'
import type { Colophon } from '../../testing/harness/colophon.ts'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import type { ProofRun } from '../proof.ts'

export interface RunnerApiClient {
  /** Undefined if no turn was queued. */
  claim(token: string, waitSeconds: number): Promise<ClaimedTurn | undefined>
  /**
   * Claims turns until it gets this job's; turns of other jobs are kept for their callers. Sends heartbeats for the turn until
   * it ends, unless `silent`.
   */
  claimJob(token: string, jobId: string, mode?: 'silent'): Promise<ClaimedTurn>
  send(request: RunnerRequest): Promise<{ status: number; code: string }>
  /** Everything that the database stores about the turn. */
  turnSnapshot(turnId: string): Promise<string>
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

const heartbeatEveryMs = 700
const maxWaitMs = 300_000

export interface RunnerRequest {
  path: 'claim' | 'events' | 'result'
  token: string | undefined
  /** Strings and buffers are sent unchanged, anything else as JSON. */
  body: unknown
  /** Default: the content type of the path. */
  headers?: readonly string[]
}

const contentTypeFor = (path: RunnerRequest['path']) => [
  'content-type',
  path === 'result' ? reportMediaType : 'application/json',
]

const maxConnectAttempts = 5

export function createRunnerApiClient(run: ProofRun, { pool }: Colophon, gatewayUrl: string): RunnerApiClient {
  const claimed = new Map<string, { turn: ClaimedTurn; stopHeartbeat: () => void }>()

  const query: RunnerApiClient['query'] = async (sql, values) => {
    for (let attempts = 1; ; attempts++) {
      try {
        return (await pool.query(sql, values)).rows
      } catch (error) {
        // While thousands of hostile calls are sent, this process can be too busy to connect in time.
        if (attempts === maxConnectAttempts || !String(error).includes('connection timeout')) throw error
      }
    }
  }

  const send: RunnerApiClient['send'] = async ({ path, token, body, headers = contentTypeFor(path) }) => {
    const response = await sendHttpRequest({
      method: 'POST',
      url: `${gatewayUrl}/runner/${path}`,
      headers: [...(token === undefined ? [] : formatBearerHeader(token)), ...headers],
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    })
    const { code = '' } = response.status >= 400 ? (JSON.parse(response.text) as { code?: string }) : {}
    return { status: response.status, code }
  }

  const claim: RunnerApiClient['claim'] = async (token, waitSeconds) => {
    const response = await sendHttpRequest({
      method: 'POST',
      url: `${gatewayUrl}/runner/claim`,
      headers: [...formatBearerHeader(token), 'content-type', 'application/json'],
      body: JSON.stringify({ waitSeconds }),
    })
    return response.status === 200 ? (JSON.parse(response.text) as ClaimedTurn) : undefined
  }

  const startHeartbeat = ({ attemptToken }: ClaimedTurn): (() => void) => {
    const sendHeartbeat = async () => {
      const { status } = await send({ path: 'events', token: attemptToken, body: { firstIndex: 0, events: [] } })
      if (status === 404) clearInterval(timer)
    }
    const timer = setInterval(() => void sendHeartbeat().catch(() => {}), heartbeatEveryMs)
    run.cleanUp(async () => clearInterval(timer))
    return () => clearInterval(timer)
  }

  return {
    claim,
    async claimJob(token, jobId, mode) {
      const deadline = Date.now() + maxWaitMs
      for (;;) {
        const existing = claimed.get(jobId)
        claimed.delete(jobId)
        if (existing && mode === 'silent') existing.stopHeartbeat()
        if (existing) return existing.turn
        if (Date.now() > deadline) throw new Error(`the turn of job ${jobId} was not queued within 5 minutes`)
        const turn = await claim(token, 1)
        if (!turn) continue
        const [row] = await query<{ job_id: string }>('SELECT job_id FROM turn WHERE id = $1', [turn.turnId])
        claimed.set(row?.job_id ?? '', { turn, stopHeartbeat: startHeartbeat(turn) })
      }
    },
    send,
    async turnSnapshot(turnId) {
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
