/** Runs an inspection in a process of its own: a page can be written so that a parser needs all the time or memory there is. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Semaphore } from '../platform/semaphore.ts'
import type { InspectionInput, InspectionResult } from './inspect-changes.ts'

const maxHeapMebibytes = 192

/** A failed inspection is a refusal: what cannot be inspected is not published. */
export const runInspection = (input: InspectionInput, options: InspectionOptions): Promise<TimedInspection> =>
  oneAtATime.run(() => inspectInProcess(input, options))

export type TimedInspection = InspectionResult & { tookMs: number }

export interface InspectionOptions {
  signal: AbortSignal
  /** Without the time that it waits for other inspections. */
  timeoutMs: number
}

/** A service manager that stops `worker` may send these to all of its processes. They say nothing about the contents. */
const stopSignals: readonly unknown[] = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** The memory of a second process would count against the limit of the worker's container. */
const oneAtATime = new Semaphore({ maxConcurrent: 1 })

async function inspectInProcess(
  input: InspectionInput,
  { signal, timeoutMs }: InspectionOptions,
): Promise<TimedInspection> {
  signal.throwIfAborted() // while it waited
  const startedAt = performance.now()
  const server = join(import.meta.dirname, '../..')
  const packages = fileURLToPath(import.meta.resolve('@babel/parser')).split(`${sep}@babel${sep}`)[0] ?? ''
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${maxHeapMebibytes}`,
      // It may read its own code, and has no other permissions.
      '--permission',
      `--allow-fs-read=${server}/*`,
      `--allow-fs-read=${packages}/*`,
      `--allow-fs-read=${join(server, '../node_modules')}/*`, // may link to the packages
      '--disable-warning=SecurityWarning',
      join(import.meta.dirname, 'inspection-process.ts'),
    ],
    {
      env: { MALLOC_ARENA_MAX: '2' },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: Math.ceil(timeoutMs), // Node accepts only integers
      killSignal: 'SIGKILL',
      signal,
    },
  )
  child.stdin.on('error', () => {}) // the process ended early; its exit code says why
  child.stdin.end(JSON.stringify(input))
  const [output, errorOutput, [exitCode, exitSignal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (stopSignals.includes(exitSignal)) throw new Error(`The inspection was stopped with ${exitSignal}.`)
  const tookMs = performance.now() - startedAt
  if (exitCode === 0) return { ...(JSON.parse(output) as InspectionResult), tookMs }
  const reason =
    exitCode === null ? 'it needs too much time or memory' : errorOutput.trim().split('\n').at(-1)?.slice(0, 200)
  return {
    refusals: [{ code: 'inspection_failed', path: '', text: reason ?? '' }],
    newHosts: [],
    needsBasePages: false,
    tookMs,
  }
}
