/** Implements the runner's side of the runner API and reports prepared results. It runs no agent. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClaimedTurn,
  type EventUploadResponse,
  encodeReport,
  reportMediaType,
  type TurnReport,
} from '../../server/src/runner-wire/runner-wire.ts'

/** Returns the report for a turn. It may take any time, and should end soon after `stopped` aborts. */
export type ExecuteTurn = (turn: ClaimedTurn, stopped: AbortSignal) => Promise<TurnReport>

export interface TestRunner {
  /** The reports sent, with the status of the response. */
  readonly reports: { turnId: string; kind: TurnReport['kind']; status: number }[]
  stop(): Promise<void>
}

export interface TestRunnerOptions {
  /** As a real runner sends it. The slots of one process share it, so that the gateway knows which turns are lost with it. */
  processId?: string
}

export function startTestRunner(
  gatewayUrl: string,
  token: string,
  work: ExecuteTurn,
  { processId = randomUUID() }: TestRunnerOptions = {},
): TestRunner {
  const stopping = new AbortController()
  const reports: TestRunner['reports'] = []
  const send = (path: string, bearer: string, type: string, body: string | Buffer) =>
    fetch(`${gatewayUrl}/runner/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': type },
      body,
      signal: AbortSignal.timeout(60_000),
    })
  const post = (path: string, bearer: string, body: object) =>
    send(path, bearer, 'application/json', JSON.stringify(body))

  const claim = async (): Promise<ClaimedTurn | undefined> => {
    const response = await post('claim', token, { waitSeconds: 2, processId })
    if (response.status === 200) return (await response.json()) as ClaimedTurn
    if (response.status !== 204) throw new Error(`claim: ${response.status} ${await response.text()}`)
    return undefined
  }

  const runTurn = async (turn: ClaimedTurn) => {
    const stopped = new AbortController()
    const sendHeartbeat = async () => {
      const response = await post('events', turn.attemptToken, { firstIndex: 0, events: [] })
      if (response.status === 404) return stopped.abort('the attempt is no longer valid')
      if (response.ok && ((await response.json()) as EventUploadResponse).stop) stopped.abort('stop')
    }
    const heartbeats = setInterval(() => void sendHeartbeat().catch(() => {}), turn.heartbeatSeconds * 1000)
    try {
      const report = await work(turn, stopped.signal)
      for (let attempt = 0; attempt < 50; attempt++) {
        const response = await send('result', turn.attemptToken, reportMediaType, encodeReport(report)).catch(
          () => undefined,
        )
        if (response && response.status < 500) {
          reports.push({ turnId: turn.turnId, kind: report.kind, status: response.status })
          return
        }
        await sleep(200) // the gateway is down: a real runner also keeps its result and retries
      }
    } finally {
      clearInterval(heartbeats)
    }
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      const turn = await claim().catch(() => sleep(200))
      if (turn) await runTurn(turn)
    }
  })()
  return {
    reports,
    async stop() {
      stopping.abort()
      await running
    },
  }
}
