import { defineRepositoryOperation, type Operations, paginate, type RepositoryCall } from '../api-call.ts'
import { ApiError, notFound } from '../api-error.ts'
import { resolveCommit } from '../git.ts'
import {
  annotationResponse,
  checkRunResponse,
  deploymentResponse,
  deploymentStatusResponse,
  environment,
  statusResponse,
} from '../responses/check.ts'
import { minimalRepositoryResponse, repositoryApiUrl } from '../responses/repository.ts'
import type { CheckRun, CommitStatus } from '../state.ts'

function requireCheckRun({ repository, params }: RepositoryCall): CheckRun {
  const found = repository.checkRuns.find(({ id }) => id === Number(params.check_run_id))
  if (!found) throw notFound()
  return found
}

async function requireCommit({ repository, params }: RepositoryCall): Promise<string> {
  const sha = await resolveCommit(repository.directory, params.ref ?? '')
  if (!sha) throw new ApiError(422, `No commit found for SHA: ${params.ref}`)
  return sha
}

function combinedState(statuses: readonly CommitStatus[]): string {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure'
  return statuses.length === 0 || statuses.some(({ state }) => state === 'pending') ? 'pending' : 'success'
}

export const checkOperations: Operations = {
  'checks/list-for-ref': defineRepositoryOperation('checks:read', async (call) => {
    const { repository, state, query } = call
    const sha = await requireCommit(call)
    const runs = repository.checkRuns
      .filter((run) => run.sha === sha)
      .filter((run) => query.check_name === undefined || run.name === query.check_name)
      .filter((run) => query.status === undefined || run.status === query.status)
      // By default, GitHub returns only the newest run of each name.
      .filter((run, at, all) => query.filter === 'all' || !all.slice(at + 1).some(({ name }) => name === run.name))
    const { items, headers } = paginate(runs, call)
    const checkRuns = items.map((run) => checkRunResponse(state, repository, run))
    return { status: 200, body: { total_count: runs.length, check_runs: checkRuns }, headers }
  }),

  'checks/get': defineRepositoryOperation('checks:read', (call) => ({
    status: 200,
    body: checkRunResponse(call.state, call.repository, requireCheckRun(call)),
  })),

  'checks/list-annotations': defineRepositoryOperation('checks:read', (call) => {
    const run = requireCheckRun(call)
    const { items, headers } = paginate(run.annotations, call)
    return {
      status: 200,
      body: items.map((annotation) => annotationResponse(call.state, call.repository, run, annotation)),
      headers,
    }
  }),

  'repos/get-combined-status-for-ref': defineRepositoryOperation('statuses:read', async (call) => {
    const { repository, state } = call
    const sha = await requireCommit(call)
    // Newest first, and only the newest one of each context.
    const newest = repository.statuses
      .filter((status) => status.sha === sha)
      .toReversed()
      .filter((status, at, all) => !all.slice(0, at).some(({ context }) => context === status.context))
    const { items, headers } = paginate(newest, call)
    const url = repositoryApiUrl(state, repository)
    return {
      status: 200,
      headers,
      body: {
        state: combinedState(newest),
        statuses: items.map((status) => statusResponse(state, repository, status)),
        sha,
        total_count: newest.length,
        repository: minimalRepositoryResponse(state, repository),
        commit_url: `${url}/commits/${sha}`,
        url: `${url}/commits/${sha}/status`,
      },
    }
  }),

  'repos/list-deployments': defineRepositoryOperation('deployments:read', (call) => {
    const { repository, state, query } = call
    const found = repository.deployments
      .filter(({ sha }) => query.sha === undefined || sha === query.sha)
      .filter(({ ref }) => query.ref === undefined || ref === query.ref)
      .filter(() => query.environment === undefined || query.environment === environment)
      .toReversed()
    const { items, headers } = paginate(found, call)
    return { status: 200, body: items.map((deployment) => deploymentResponse(state, repository, deployment)), headers }
  }),

  'repos/list-deployment-statuses': defineRepositoryOperation('deployments:read', (call) => {
    const { repository, state, params } = call
    const deployment = repository.deployments.find(({ id }) => id === Number(params.deployment_id))
    if (!deployment) throw notFound()
    const { items, headers } = paginate(deployment.statuses.toReversed(), call)
    const body = items.map((status) => deploymentStatusResponse(state, repository, deployment, status))
    return { status: 200, body, headers }
  }),

  /** A GitHub Actions job has the ID of its check run. */
  'actions/download-job-logs-for-workflow-run': defineRepositoryOperation(
    'actions:read',
    ({ repository, state, params }) => {
      const run = repository.checkRuns.find(({ id }) => id === Number(params.job_id))
      if (!run || run.log === null) throw notFound()
      return { status: 302, headers: { location: `${state.url}${checkLogPathPrefix}${run.id}?sig=${run.logSecret}` } }
    },
  ),
}

/** GitHub redirects to another host for logs, with URLs that need no token and are valid for one minute. */
export const checkLogPathPrefix = '/_logs/'
