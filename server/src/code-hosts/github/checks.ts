import Type from 'typebox'
import type { CommitId, HostCheck, HostChecks } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { longTextsPerPage } from '../json-api.ts'
import { asLink, previewOfChecks } from '../preview-of-checks.ts'
import {
  type GithubCheckRun,
  GithubCheckRuns,
  GithubDeployment,
  GithubDeploymentStatus,
  GithubStatuses,
} from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

const maxDeployments = 5
const maxRunPages = 5

/** Of Actions and Apps, of whoever reports by statuses, and of deployments. What the token may not read is left out. */
export async function readGithubChecks(api: GithubApi, hostUrl: string, commit: CommitId): Promise<HostChecks> {
  const runs = (await ifPermitted(readRuns(api, commit))) ?? []
  const combined = await ifPermitted(api.call('GET', `/commits/${commit}/status?per_page=100`, GithubStatuses))
  const statuses = (combined?.statuses ?? []).map(
    ({ id, state, context, description, target_url: url }): HostCheck => ({
      id: `status:${id}`,
      name: context,
      url: asLink(url),
      summary: description || null,
      status: state === 'pending' ? 'pending' : state === 'success' ? 'passed' : 'failed',
    }),
  )
  const checks = [...runs.map(asCheck), ...statuses]
  const elsewhere = runs.map((run) => ({ ...asCheck(run), url: asLink(run.details_url) }))
  const previewUrl = (await deployedTo(api, commit)) ?? previewOfChecks([...elsewhere, ...statuses], hostUrl)
  return { checks, previewUrl }
}

/** Each with texts of its own. */
async function readRuns(api: GithubApi, commit: CommitId): Promise<GithubCheckRun[]> {
  const runs: GithubCheckRun[] = []
  for (let page = 1; page <= maxRunPages; page++) {
    const path = `/commits/${commit}/check-runs?per_page=${longTextsPerPage}&page=${page}`
    const { check_runs: found } = await api.call('GET', path, GithubCheckRuns)
    runs.push(...found)
    if (found.length < longTextsPerPage) break
  }
  return runs
}

function asCheck(run: GithubCheckRun): HostCheck {
  return {
    id: `${runPrefix}${run.id}`,
    name: run.name,
    status: stateOf(run),
    url: asLink(run.html_url) ?? asLink(run.details_url),
    summary: run.output.title || run.output.summary?.split('\n')[0] || null,
  }
}

export const runPrefix = 'run:'

const passing = ['success', 'neutral', 'skipped']

function stateOf({ status, conclusion }: GithubCheckRun): HostCheck['status'] {
  if (status !== 'completed') return 'pending'
  return passing.includes(conclusion ?? '') ? 'passed' : 'failed'
}

async function deployedTo(api: GithubApi, commit: CommitId): Promise<string | null> {
  const path = `/deployments?sha=${commit}&per_page=${maxDeployments}`
  const deployments = await ifPermitted(api.call('GET', path, Type.Array(GithubDeployment)))
  for (const { id } of deployments ?? []) {
    const statuses = api.call('GET', `/deployments/${id}/statuses?per_page=1`, Type.Array(GithubDeploymentStatus))
    const [newest] = (await ifPermitted(statuses)) ?? []
    const url = newest?.state === 'success' ? asLink(newest.environment_url) : null
    if (url) return url
  }
  return null
}

/** Fine-grained tokens cannot be given everything that an App can: GitHub has no permission for their check runs. */
export async function ifPermitted<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCodeHostError(error, 'forbidden', 'not_found')) return undefined
    throw error
  }
}
