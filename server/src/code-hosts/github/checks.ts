import Type from 'typebox'
import type { CommitChecks, CommitId, HostCiCheck } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { longTextPageSize } from '../json-api.ts'
import { findPreviewUrl, toLinkUrl } from '../preview-url.ts'
import type { GithubApi } from './github-api.ts'
import {
  type GithubCheckRun,
  GithubCheckRuns,
  GithubDeployment,
  GithubDeploymentStatus,
  GithubStatuses,
} from './github-schemas.ts'

const maxDeployments = 5
const maxRunPages = 5

/** Reads check runs (Actions and Apps), commit statuses and deployments. Skips those that the token may not read. */
export async function readGithubChecks(api: GithubApi, hostUrl: string, commit: CommitId): Promise<CommitChecks> {
  const runs = (await undefinedIfForbidden(readRuns(api, commit))) ?? []
  const combined = await undefinedIfForbidden(api.call('GET', `/commits/${commit}/status?per_page=100`, GithubStatuses))
  const statuses = (combined?.statuses ?? []).map(
    ({ id, state, context, description, target_url: url }): HostCiCheck => ({
      id: `status:${id}`,
      name: context,
      url: toLinkUrl(url),
      summary: description || null,
      status: state === 'pending' ? 'pending' : state === 'success' ? 'passed' : 'failed',
    }),
  )
  const checks = [...runs.map(toCheck), ...statuses]
  const externalRuns = runs.map((run) => ({ ...toCheck(run), url: toLinkUrl(run.details_url) }))
  const previewUrl = (await findDeploymentUrl(api, commit)) ?? findPreviewUrl([...externalRuns, ...statuses], hostUrl)
  return { checks, previewUrl }
}

/** Uses small pages, because each run contains long texts. */
async function readRuns(api: GithubApi, commit: CommitId): Promise<GithubCheckRun[]> {
  const runs: GithubCheckRun[] = []
  for (let page = 1; page <= maxRunPages; page++) {
    const path = `/commits/${commit}/check-runs?per_page=${longTextPageSize}&page=${page}`
    const { check_runs: found } = await api.call('GET', path, GithubCheckRuns)
    runs.push(...found)
    if (found.length < longTextPageSize) break
  }
  return runs
}

function toCheck(run: GithubCheckRun): HostCiCheck {
  return {
    id: `${checkRunIdPrefix}${run.id}`,
    name: run.name,
    status: statusOf(run),
    url: toLinkUrl(run.html_url) ?? toLinkUrl(run.details_url),
    summary: run.output.title || run.output.summary?.split('\n')[0] || null,
  }
}

export const checkRunIdPrefix = 'run:'

const passingConclusions = ['success', 'neutral', 'skipped']

function statusOf({ status, conclusion }: GithubCheckRun): HostCiCheck['status'] {
  if (status !== 'completed') return 'pending'
  return passingConclusions.includes(conclusion ?? '') ? 'passed' : 'failed'
}

async function findDeploymentUrl(api: GithubApi, commit: CommitId): Promise<string | null> {
  const path = `/deployments?sha=${commit}&per_page=${maxDeployments}`
  const deployments = await undefinedIfForbidden(api.call('GET', path, Type.Array(GithubDeployment)))
  for (const { id } of deployments ?? []) {
    const statuses = api.call('GET', `/deployments/${id}/statuses?per_page=1`, Type.Array(GithubDeploymentStatus))
    const [newest] = (await undefinedIfForbidden(statuses)) ?? []
    const url = newest?.state === 'success' ? toLinkUrl(newest.environment_url) : null
    if (url) return url
  }
  return null
}

/** Undefined: not permitted. GitHub has no permission for check runs that a fine-grained token could have; an App can have it. */
export async function undefinedIfForbidden<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) return undefined
    throw error
  }
}
