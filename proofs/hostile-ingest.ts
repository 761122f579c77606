/** Senders of views may lie about keys, text, dates and sizes, and send as often as they like. */

import { createIngestFixture, type IngestFixture } from './hostile-ingest/fixture.ts'
import { sendForgedPages } from './hostile-ingest/forged-pages.ts'
import { sendHostileBodies } from './hostile-ingest/hostile-bodies.ts'
import { sendHostileText, sendHostileTimes } from './hostile-ingest/hostile-text.ts'
import { fullBufferScenario, quarantinedBatchScenario } from './hostile-ingest/loader-faults.ts'
import { sendUnauthorized } from './hostile-ingest/unauthorized.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'Hostile ingest traffic cannot break, fill or block the service, or inject into its responses'

const mebibyte = 1024 * 1024
/** The memory limits in deploy/compose.yml. */
const maxBytes = { api: 320 * mebibyte, worker: 512 * mebibyte }

/** Arguments after `--` select from these by name. */
const attacks: Record<string, (fixture: IngestFixture) => Promise<void>> = {
  unauthorized: sendUnauthorized,
  text: sendHostileText,
  times: sendHostileTimes,
  bodies: sendHostileBodies,
  pages: sendForgedPages,
  'rejected-batch': quarantinedBatchScenario,
  'full-buffer': fullBufferScenario,
}

export async function prove(run: ProofRun): Promise<void> {
  const fixture = await createIngestFixture(run)
  const peaks: string[] = []
  for (const [name, attack] of Object.entries(attacks)) {
    if (run.args.length > 0 && !run.args.includes(name)) continue
    await attack(fixture)
    for (const processName of ['api', 'worker'] as const) {
      const { bytes, largest } = fixture.memory[processName].readAndResetPeak()
      run.check(
        bytes <= maxBytes[processName],
        `${name}: ${processName} uses at most ${maxBytes[processName] / mebibyte} MiB: ${largest}`,
      )
      peaks.push(`${name} ${processName} ${Math.round(bytes / mebibyte)}`)
    }
    run.log(`${name}: done`)
  }
  run.figure('responses checked', fixture.responseCount())
  run.figure('peak memory, MiB', peaks.join(', '))
}
