import type { ProjectWithClient, RunningColophon } from '../../testing/harness/colophon.ts'
import type { ProofRun } from '../proof.ts'

export interface ProxyFixture {
  run: ProofRun
  colophon: RunningColophon
  /** Has no runner, so its jobs wait. */
  project: ProjectWithClient
  owner: { email: string; password: string }
  silenceSeconds: number
}
