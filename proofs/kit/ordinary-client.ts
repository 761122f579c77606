/** Somebody who asks for `/v2/me` four times a second while others misbehave; by HEAD, to be known in the log. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColophonProcess } from '../../dev-services/colophon.ts'
import type { ProofRun } from '../proof.ts'
import { bearer, call } from './http-call.ts'

export interface OrdinaryClient {
  /** Says how it was served, and what became of the process. */
  stop(): Promise<void>
}

const respondedWithinMs = 5_000
const grownBytesAllowed = 200e6

export async function askOrdinarily(
  run: ProofRun,
  { part, url }: ColophonProcess,
  key: string,
): Promise<OrdinaryClient> {
  const times: number[] = []
  const ask = async () => {
    const startedAt = performance.now()
    const asked = call({ method: 'HEAD', url: `${url}/v2/me`, headers: bearer(key) })
    const outcome = await asked.then(({ status }) => status, String)
    times.push(performance.now() - startedAt)
    run.check(outcome === 200, `an ordinary request is answered meanwhile: ${outcome}`)
    return outcome === 200
  }
  await ask()
  const { pid } = part
  const bytesBefore = await part.memoryBytes()
  let maxBytes = bytesBefore
  let stopping = false
  const asking = (async () => {
    while (!stopping && (await ask())) {
      maxBytes = Math.max(maxBytes, await part.memoryBytes())
      await sleep(250)
    }
  })()
  return {
    async stop() {
      stopping = true
      await asking
      await ask()
      run.check(part.pid === pid, 'it is the same process all the time')
      const slowestMs = Math.max(...times)
      const medianMs = times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0
      run.check(
        slowestMs < respondedWithinMs,
        `ordinary requests are answered within ${respondedWithinMs} ms: ${slowestMs}`,
      )
      run.check(maxBytes - bytesBefore < grownBytesAllowed, `memory stays: ${bytesBefore} to ${maxBytes} bytes`)
      run.figure(
        'ordinary requests meanwhile, median and slowest in milliseconds',
        `${times.length}, ${medianMs.toFixed(0)} and ${slowestMs.toFixed(0)}`,
      )
      const megabytes = [bytesBefore, maxBytes, await part.memoryBytes()].map((bytes) => (bytes / 1e6).toFixed(0))
      run.figure('memory of the process before, at most, after, in MB', megabytes.join(', '))
    },
  }
}
