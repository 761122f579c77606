/**
 * A client that requests `/v2/me` four times a second while other clients misbehave. It sends HEAD, so that its requests can be
 * told apart in the log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import type { ProofRun } from '../proof.ts'

export interface BackgroundClient {
  /** Checks and reports response times and the memory of the process. */
  stop(): Promise<void>
}

const maxResponseMs = 5_000
const maxGrowthBytes = 200e6

export async function startBackgroundClient(
  run: ProofRun,
  { process: managed, url }: ColophonProcess,
  key: string,
): Promise<BackgroundClient> {
  const times: number[] = []
  const send = async () => {
    const startedAt = performance.now()
    const responded = sendHttpRequest({ method: 'HEAD', url: `${url}/v2/me`, headers: formatBearerHeader(key) })
    const outcome = await responded.then(({ status }) => status, String)
    times.push(performance.now() - startedAt)
    run.check(outcome === 200, `background requests succeed under attack: ${outcome}`)
    return outcome === 200
  }
  await send()
  const { pid } = managed
  const bytesBefore = await managed.memoryBytes()
  let maxBytes = bytesBefore
  let stopping = false
  const sending = (async () => {
    while (!stopping && (await send())) {
      maxBytes = Math.max(maxBytes, await managed.memoryBytes())
      await sleep(250)
    }
  })()
  return {
    async stop() {
      stopping = true
      await sending
      await send()
      run.check(managed.pid === pid, `the process is not restarted (pid ${pid}, then ${managed.pid})`)
      const slowestMs = Math.max(...times)
      const medianMs = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
      run.check(
        slowestMs < maxResponseMs,
        `background requests take less than ${maxResponseMs} ms: ${slowestMs.toFixed(0)} ms`,
      )
      run.check(
        maxBytes - bytesBefore < maxGrowthBytes,
        `memory grows by less than ${maxGrowthBytes / 1e6} MB: from ${bytesBefore} to ${maxBytes} bytes`,
      )
      run.figure(
        'background requests',
        `${times.length} (median ${medianMs.toFixed(0)} ms, slowest ${slowestMs.toFixed(0)} ms)`,
      )
      const [before, peak, after] = [bytesBefore, maxBytes, await managed.memoryBytes()].map((bytes) =>
        (bytes / 1e6).toFixed(0),
      )
      run.figure('memory of the process', `${before} MB before, ${peak} MB peak, ${after} MB after`)
    },
  }
}
