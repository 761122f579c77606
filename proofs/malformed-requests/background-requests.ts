/**
 * A thread that requests `/v2/me` four times a second until it is told to stop. Not in the thread of the proof, which prepares bodies that
 * take it seconds: response times would include them. It sends HEAD, so that its requests can be told apart in the log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'

export interface BackgroundTarget {
  url: string
  key: string
}

export interface BackgroundRequest {
  /** A status, or an error. */
  outcome: number | string
  milliseconds: number
}

const { url, key } = workerData as BackgroundTarget
let isStopping = false
parentPort?.once('message', () => {
  isStopping = true
})
for (;;) {
  const isLast = isStopping
  const startedAt = performance.now()
  const responded = sendHttpRequest({ method: 'HEAD', url: `${url}/v2/me`, headers: formatBearerHeader(key) })
  const outcome = await responded.then(({ status }) => status, String)
  parentPort?.postMessage({ outcome, milliseconds: performance.now() - startedAt } satisfies BackgroundRequest)
  if (isLast) break
  await sleep(250)
}
