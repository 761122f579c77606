/** A client that sends ordinary requests while other clients misbehave. */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import type { ProofRun } from '../proof.ts'
import type { BackgroundRequest, BackgroundTarget } from './background-requests.ts'

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
  const { pid } = managed
  const bytesBefore = await managed.memoryBytes()
  let maxBytes = bytesBefore
  const requests: (BackgroundRequest & { at: string })[] = []
  const thread = new Worker(join(import.meta.dirname, 'background-requests.ts'), {
    workerData: { url, key } satisfies BackgroundTarget,
  })
  const ended = once(thread, 'exit')
  thread.on('message', (request: BackgroundRequest) => requests.push({ ...request, at: new Date().toISOString() }))
  run.cleanUp(async () => void (await thread.terminate()))
  let isStopping = false
  const measuring = (async () => {
    while (!isStopping) {
      maxBytes = Math.max(maxBytes, await managed.memoryBytes())
      await sleep(250)
    }
  })()
  return {
    async stop() {
      isStopping = true
      await measuring
      thread.postMessage('stop')
      await ended
      run.check(managed.pid === pid, `the process is not restarted (pid ${pid}, then ${managed.pid})`)
      const failed = requests.filter(({ outcome }) => outcome !== 200)
      run.check(failed.length === 0, `background requests succeed under attack: ${failed[0]?.outcome}`)
      const byDuration = requests.toSorted((a, b) => a.milliseconds - b.milliseconds)
      const slowest = byDuration.at(-1)
      const slowestMs = slowest?.milliseconds ?? Number.POSITIVE_INFINITY
      run.check(
        slowestMs < maxResponseMs,
        `background requests take less than ${maxResponseMs} ms: ${slowestMs.toFixed(0)} ms, until ${slowest?.at}`,
      )
      run.check(
        maxBytes - bytesBefore < maxGrowthBytes,
        `memory grows by less than ${maxGrowthBytes / 1e6} MB: from ${bytesBefore} to ${maxBytes} bytes`,
      )
      const medianMs = byDuration[byDuration.length >> 1]?.milliseconds ?? 0
      run.figure(
        'background requests',
        `${requests.length} (median ${medianMs.toFixed(0)} ms, slowest ${slowestMs.toFixed(0)} ms)`,
      )
      const [before, peak, after] = [bytesBefore, maxBytes, await managed.memoryBytes()].map((bytes) =>
        (bytes / 1e6).toFixed(0),
      )
      run.figure('memory of the process', `${before} MB before, ${peak} MB peak, ${after} MB after`)
    },
  }
}
