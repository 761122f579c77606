/** Compares all jobs of a project with their plans, and the branches on the code host with the jobs. */

import type { RetryingClient } from '../../testing/harness/retrying-client.ts'
import type { HostedRepositoryState } from './hosted-repository-state.ts'
import { listJobIds, plannedPrompts, readJob, readTurns, type TrackedJob } from './planned-job.ts'
import { type JobFaultFinding, verifyJob } from './verify-job.ts'

export async function verifyProject(
  client: RetryingClient,
  project: TrackedJob['project'],
  plannedJobs: readonly TrackedJob[],
  host: HostedRepositoryState,
): Promise<JobFaultFinding[]> {
  const findings: JobFaultFinding[] = []
  const unmatchedJobIds = new Set(await listJobIds(client, project))
  const knownBranches = new Set<string>()
  for (const job of plannedJobs) {
    const { plan, accepted } = job
    if (!accepted || !unmatchedJobIds.delete(accepted.id)) {
      findings.push({ fault: 'lost job', detail: `${plan.idempotencyKey} ${accepted?.id ?? 'was never accepted'}` })
      continue
    }
    const response = await readJob(client, project, accepted.id)
    const turns = await readTurns(client, project, accepted.id)
    if (response.pullRequest) knownBranches.add(response.pullRequest.branch)
    for (const { fault, detail } of verifyJob(plan, plannedPrompts(job), { job: response, turns }, host)) {
      findings.push({ fault, detail: `${plan.idempotencyKey} ${accepted.id}: ${detail}` })
    }
  }
  for (const id of unmatchedJobIds) findings.push({ fault: 'duplicate job', detail: id })
  for (const branch of host.branches.keys())
    if (!knownBranches.has(branch)) findings.push({ fault: 'unexpected branch', detail: branch })
  return findings
}
