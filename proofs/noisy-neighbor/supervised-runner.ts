/** A runner process that is restarted when it dies, as systemd or a container runtime does. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanUp } from '../../testing/harness/colophon.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { RunnerProcessSettings } from './runner-process.ts'

const restartDelayMs = 1_000

export interface SupervisedRunner {
  process: ManagedProcess
  /** How often it died. */
  losses(): number
}

export async function startSupervisedRunner(
  run: CleanUp,
  settings: RunnerProcessSettings,
  { directory, onStart }: { directory: string; onStart: (runner: ManagedProcess) => Promise<void> },
): Promise<SupervisedRunner> {
  let isReady = false
  let isStopping = false
  let losses = 0
  const managed = new ManagedProcess({
    name: settings.name,
    command: [process.execPath, join(import.meta.dirname, 'runner-process.ts')],
    env: { PATH: process.env.PATH, TMPDIR: directory, NOISY_NEIGHBOR_RUNNER: JSON.stringify(settings) },
    logFile: join(directory, 'runner.log'),
    print: (line) => {
      if (line === 'ready') isReady = true
    },
    isReady: async () => isReady,
    readyWithinSeconds: 60,
  })
  const start = async () => {
    await managed.start()
    await onStart(managed)
  }
  await start()
  const supervising = (async () => {
    for (;;) {
      await managed.ended
      if (isStopping) return
      losses++
      isReady = false
      await sleep(restartDelayMs)
      if (!isStopping) await start().catch(() => {}) // it may die again at once
    }
  })()
  run.cleanUp(async () => {
    isStopping = true
    await managed.stop()
    await supervising
    await managed.stop()
  })
  return { process: managed, losses: () => losses }
}
