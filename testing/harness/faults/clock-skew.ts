/**
 * Runs a process with a clock that is ahead or behind, by libfaketime. Timers and `performance.now()` are not affected, as on a
 * real machine with a wrong clock.
 *
 * PostgreSQL: only a clock that is behind. libfaketime gives signal handlers that interrupt a wait the real time, so that with a
 * clock that is ahead, PostgreSQL considers its timeouts as not yet reached and `statement_timeout` has no effect. To have
 * PostgreSQL ahead of Colophon, run Colophon behind.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../../services/is-alive.ts'
import { ensureSystemPackage } from '../../services/system-package.ts'

/** The variables for the environment of the process: an argument of `colophon.start`, or the `env` of a service. */
export async function clockSkewEnvironment({ skewSeconds }: { skewSeconds: number }): Promise<Record<string, string>> {
  await ensureSystemPackage('libfaketime', () => findLibrary() !== undefined)
  removeLeftovers()
  return {
    LD_PRELOAD: findLibrary() ?? '',
    FAKETIME: `${skewSeconds < 0 ? '' : '+'}${skewSeconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}

/** libfaketime exists on Linux, and must be installed or installable. */
export async function canSkewClock(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  try {
    await ensureSystemPackage('libfaketime', () => findLibrary() !== undefined)
    return true
  } catch {
    return false
  }
}

/** The variant for programs with several threads. Debian has a directory for each architecture. */
function findLibrary(): string | undefined {
  for (const name of readdirSync('/usr/lib')) {
    const directory = join('/usr/lib', name, 'faketime')
    if (listNames(directory).includes('libfaketimeMT.so.1')) return join(directory, 'libfaketimeMT.so.1')
  }
  return undefined
}

/** Most processes leave shared memory behind, which a process of another user with the same id could not open. */
function removeLeftovers(): void {
  for (const name of listNames('/dev/shm')) {
    const pid = Number(/^(?:sem\.)?faketime_(?:sem|shm)_(\d+)$/.exec(name)?.[1])
    if (!(pid > 0) || isAlive(pid)) continue
    try {
      rmSync(join('/dev/shm', name), { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error // another user's
    }
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
