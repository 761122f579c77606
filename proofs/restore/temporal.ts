/** Temporals with different histories: the first one, a copy of it as it was at a moment, and new ones. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOwnPostgres, startOwnStandby } from '../../testing/harness/own-postgres.ts'
import { runOnPostgres } from '../../testing/harness/run-on-postgres.ts'
import type { RunningPostgres } from '../../testing/services/start-postgres.ts'
import { getTemporalBinaries, type RunningTemporal, startTemporal } from '../../testing/services/start-temporal.ts'
import type { ProofRun } from '../proof.ts'

export interface FirstTemporal extends RunningTemporal {
  /** Prepares a copy of its databases, which follows it until `freeze`. */
  follow(): Promise<{ freeze(): Promise<void>; start(): Promise<RunningTemporal> }>
}

export async function startFirstTemporal(run: ProofRun): Promise<FirstTemporal> {
  const postgres = await startOwnPostgres(run)
  const temporal = await start(run, postgres, false)
  return {
    ...temporal,
    async follow() {
      const standby = await startOwnStandby(run, postgres.url)
      return {
        freeze: async () => void (await runOnPostgres(standby.url, 'SELECT pg_promote(true, 30)')),
        async start() {
          // Otherwise it would look for the processes of the first one.
          await runOnPostgres(new URL('/temporal', standby.url).href, 'DELETE FROM cluster_membership')
          return start(run, standby, true)
        },
      }
    },
  }
}

export async function startEmptyTemporal(run: ProofRun): Promise<RunningTemporal> {
  return start(run, await startOwnPostgres(run), false)
}

async function start(run: ProofRun, postgres: RunningPostgres, hasDatabases: boolean): Promise<RunningTemporal> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-temporal-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const temporal = await startTemporal(await getTemporalBinaries(), join(directory, 'services/temporal'), postgres, {
    hasDatabases,
  })
  run.cleanUp(() => temporal.process.stop())
  return temporal
}
