/**
 * Every host that can deliver logs delivers them as its documentation says: repeated, out of order, cut off, forged. Then a random stream of
 * batches arrives, with lines of earlier ones again, while the processes that count them are killed.
 */
import { type Colophon, prepareColophon } from '../testing/harness/colophon.ts'
import type { ProofRun } from './proof.ts'
import { deliverSamples } from './sources/deliver-samples.ts'
import { streamDeliveries } from './sources/stream-deliveries.ts'

export const guarantee =
  'A line in an access log is counted once, however often its host delivers it, in any batch if the line has an ID, and only from its sender'

const sizes = {
  ci: { lines: 60_000, kills: 3 },
  stated: { lines: 10_000_000, kills: 60 },
  full: { lines: 20_000_000, kills: 120 },
} as const

/** Arguments after `--` select from these by name. */
const parts: Record<string, (run: ProofRun, colophon: Colophon) => Promise<void>> = {
  samples: deliverSamples,
  stream: (run, colophon) => streamDeliveries(run, colophon, sizes[run.size]),
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'sources')
  for (const [name, part] of Object.entries(parts))
    if (run.args.length === 0 || run.args.includes(name)) await part(run, colophon)
}
