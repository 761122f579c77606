/**
 * Runs jobs through the public API only, on a real worker, Temporal and Gitea. Each ends as the contract says, published once.
 */

import type { ProofRun } from './proof.ts'
import { runScenarios } from './publish-exactly-once/scenarios.ts'

export const guarantee = 'A job results in exactly one pull request, whatever happens on the way'

/** Arguments after `--` select scenarios by name: `npm run prove -- publish-exactly-once -- topic cancel`. */
export async function prove(run: ProofRun): Promise<void> {
  await runScenarios(run, 'gitea')
}
