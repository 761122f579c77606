/** Changes that people made to public docs repositories: the gate must not be in their way. */
import { formatChangeRefusal } from '../../server/src/content-gate/format-refusal.ts'
import { runInspection } from '../../server/src/content-gate/run-inspection.ts'
import { judgeHonestChange, readHonestChanges } from '../../server/src/content-gate/testing/honest-changes.ts'
import type { ProofRun } from '../proof.ts'

const minChanges = 200
const maxRefusedPercent = 2

export async function checkHonestChanges(run: ProofRun): Promise<void> {
  const changes = readHonestChanges()
  const generators = new Set(changes.map(({ generator }) => generator))
  let refused = 0
  for (const change of changes) {
    const inspect = (input: Parameters<typeof runInspection>[0]) =>
      runInspection(input, { signal: AbortSignal.timeout(120_000), timeoutMs: 60_000 })
    const { generator, refusals } = await judgeHonestChange(change, inspect)
    run.check(generator === change.generator, `${change.name} belongs to ${change.generator}, got ${generator}`)
    if (refusals.length === 0) continue
    refused += 1
    const reasons = refusals.slice(0, 3).map(formatChangeRefusal).join('; ')
    run.check(change.refused !== undefined, `${change.name} is accepted, got ${reasons}`)
    if (change.refused !== undefined) run.log(`${change.name} is refused: ${change.refused}`)
  }
  const percent = (refused / changes.length) * 100
  run.check(changes.length >= minChanges, `at least ${minChanges} honest changes are judged, got ${changes.length}`)
  run.check(percent <= maxRefusedPercent, `at most ${maxRefusedPercent} % of them are refused, got ${percent} %`)
  run.figure(
    'honest changes, refused',
    `${changes.length} of ${generators.size} generators, ${refused} (${percent.toFixed(1)} %)`,
  )
}
