/** Jobs through the public API alone, on a real worker, Temporal and Gitea: each ends as the contract says, published once. */
import { playScenarios } from './kit/published-once/scenarios.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'A job becomes exactly one pull request, whatever happens to it on the way'

/** What the words after `--` name, or all: `npm run prove -- jobs-are-published-once -- topic cancel`. */
export async function prove(run: ProofRun): Promise<void> {
  await playScenarios(run, 'gitea')
}
