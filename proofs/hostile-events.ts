/** Whoever tells of views may lie: in keys, words, dates and sizes, and as often as it likes. */
import { bombs } from './kit/hostile-events/bombs.ts'
import { madeUpPages } from './kit/hostile-events/made-up-pages.ts'
import { strangers } from './kit/hostile-events/strangers.ts'
import { fullBuffer, refusedBatch } from './kit/hostile-events/stuck-loader.ts'
import { texts, times } from './kit/hostile-events/texts.ts'
import { openWatchedSite, type WatchedSite } from './kit/hostile-events/watched-site.ts'
import { runningService } from './kit/running-service.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'Hostile views break nothing, fill nothing and hide in no answer'

const megabyte = 1024 * 1024
/** As deploy/compose.yml has them. */
const maxBytes = { api: 320 * megabyte, worker: 512 * megabyte }

const parts: Record<string, (site: WatchedSite) => Promise<void>> = {
  strangers,
  texts,
  times,
  bombs,
  madeUpPages,
  refusedBatch,
  fullBuffer,
}

export async function prove(run: ProofRun): Promise<void> {
  const site = await openWatchedSite(run, await runningService(run, 'hostile_events'))
  const peaks: string[] = []
  for (const [name, play] of Object.entries(parts)) {
    if (run.words.length > 0 && !run.words.includes(name)) continue
    await play(site)
    for (const part of ['api', 'worker'] as const) {
      const { bytes, parts } = site.memory[part].takePeak()
      run.check(bytes <= maxBytes[part], `${name}: ${part} stays within ${maxBytes[part] / megabyte} MB: ${parts}`)
      peaks.push(`${name} ${part} ${Math.round(bytes / megabyte)}`)
    }
    run.say(`${name} is over`)
  }
  run.figure('answers, of these outside of what is stated', `${site.responsesSeen()}, 0`)
  run.figure('memory at most, MB', peaks.join(', '))
}
