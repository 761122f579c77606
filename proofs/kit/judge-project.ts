/** Compares all jobs of a project with their plans, and what stands on the code host with the jobs. */
import type { HostState } from './host-audit.ts'
import { type Finding, judgeJob } from './judge-job.ts'
import type { PatientClient } from './patient-client.ts'
import { listJobIds, type PlayedJob, promptsOf, readJob, readTurns } from './played-job.ts'

export async function judgeProject(
  client: PatientClient,
  project: PlayedJob['project'],
  played: readonly PlayedJob[],
  host: HostState,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const unknownJobs = new Set(await listJobIds(client, project))
  const knownBranches = new Set<string>()
  for (const job of played) {
    const { plan, accepted } = job
    if (!accepted || !unknownJobs.delete(accepted.id)) {
      findings.push({ fault: 'lost', what: `${plan.idempotencyKey} ${accepted?.id}` })
      continue
    }
    const response = await readJob(client, project, accepted.id)
    const turns = await readTurns(client, project, accepted.id)
    if (response.pullRequest) knownBranches.add(response.pullRequest.branch)
    for (const { fault, what } of judgeJob(plan, promptsOf(job), { job: response, turns }, host)) {
      findings.push({ fault, what: `${plan.idempotencyKey} ${accepted.id}: ${what}` })
    }
  }
  for (const id of unknownJobs) findings.push({ fault: 'duplicate job', what: id })
  for (const branch of host.branches.keys())
    if (!knownBranches.has(branch)) findings.push({ fault: 'stray branch', what: branch })
  return findings
}
