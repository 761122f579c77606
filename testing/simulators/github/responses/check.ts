import type {
  Annotation,
  CheckRun,
  CommitStatus,
  Deployment,
  DeploymentStatus,
  PullRequest,
  Repository,
  State,
} from '../state.ts'
import { accountResponse, nodeId } from './account.ts'
import { formatGithubTime, repositoryApiUrl, repositoryPageUrl } from './repository.ts'

/** The App of a check run: GitHub Actions if it has a log, otherwise another one. */
const checkAppResponse = (state: State, { owner, createdAt }: Repository, { log }: CheckRun) => ({
  id: log === null ? 2 : 1,
  slug: log === null ? 'another-ci' : 'github-actions',
  node_id: nodeId('Integration', log === null ? 2 : 1),
  client_id: log === null ? 'Iv1.another' : 'Iv1.05c79e9ad1f6bdfa',
  owner: accountResponse(state, owner),
  name: log === null ? 'Another CI' : 'GitHub Actions',
  description: '',
  external_url: 'https://example.com',
  html_url: `${state.url}/apps/${log === null ? 'another-ci' : 'github-actions'}`,
  created_at: formatGithubTime(createdAt),
  updated_at: formatGithubTime(createdAt),
  permissions: {},
  events: [],
})

const pullRequestMinimal = (state: State, repository: Repository, pullRequest: PullRequest) => {
  const repo = { id: repository.id, url: repositoryApiUrl(state, repository), name: repository.name }
  return {
    id: pullRequest.id,
    number: pullRequest.number,
    url: `${repo.url}/pulls/${pullRequest.number}`,
    head: { ref: pullRequest.headBranch, sha: pullRequest.headSha, repo },
    base: { ref: pullRequest.baseBranch, sha: pullRequest.baseSha, repo },
  }
}

const pullRequestsAt = (state: State, repository: Repository, sha: string) =>
  repository.pullRequests
    .filter((pullRequest) => pullRequest.state === 'open' && pullRequest.headSha === sha)
    .map((pullRequest) => pullRequestMinimal(state, repository, pullRequest))

export function checkRunResponse(state: State, repository: Repository, run: CheckRun) {
  const url = `${repositoryApiUrl(state, repository)}/check-runs/${run.id}`
  const page = `${repositoryPageUrl(state, repository)}/actions/runs/1/job/${run.id}`
  return {
    id: run.id,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.sha,
    external_id: '',
    url,
    html_url: page,
    details_url: page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: formatGithubTime(run.startedAt),
    completed_at: run.completedAt ? formatGithubTime(run.completedAt) : null,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    name: run.name,
    check_suite: { id: run.id },
    app: checkAppResponse(state, repository, run),
    pull_requests: pullRequestsAt(state, repository, run.sha),
  }
}

/** A check run in an event, with its suite and therefore its branch. */
export function checkRunEventPayload(state: State, repository: Repository, run: CheckRun) {
  const response = checkRunResponse(state, repository, run)
  const [branch = null] = [...repository.branches].filter(([, sha]) => sha === run.sha).map(([name]) => name)
  return {
    ...response,
    check_suite: {
      id: run.id,
      node_id: nodeId('CheckSuite', run.id),
      head_branch: branch,
      head_sha: run.sha,
      status: run.status,
      conclusion: run.conclusion,
      url: `${repositoryApiUrl(state, repository)}/check-suites/${run.id}`,
      before: null,
      after: run.sha,
      pull_requests: response.pull_requests,
      app: response.app,
      created_at: response.started_at,
      updated_at: response.completed_at ?? response.started_at,
    },
  }
}

export const annotationResponse = (
  state: State,
  repository: Repository,
  { sha }: CheckRun,
  annotation: Annotation,
) => ({
  path: annotation.path,
  blob_href: `${repositoryPageUrl(state, repository)}/blob/${sha}/${annotation.path}`,
  start_line: annotation.startLine,
  start_column: null,
  end_line: annotation.endLine,
  end_column: null,
  annotation_level: annotation.level,
  title: '',
  message: annotation.message,
  raw_details: '',
})

/** A status in the combined status of a commit. */
export const statusResponse = (state: State, repository: Repository, status: CommitStatus) => ({
  url: `${repositoryApiUrl(state, repository)}/statuses/${status.sha}`,
  avatar_url: `${state.url}/avatars/u/${repository.owner.id}?v=4`,
  id: status.id,
  node_id: nodeId('StatusContext', status.id),
  state: status.state,
  description: status.description,
  target_url: status.targetUrl,
  context: status.context,
  created_at: formatGithubTime(status.createdAt),
  updated_at: formatGithubTime(status.createdAt),
})

/** Of all deployments. */
export const environment = 'Preview'

export function deploymentResponse(state: State, repository: Repository, deployment: Deployment) {
  const url = `${repositoryApiUrl(state, repository)}/deployments/${deployment.id}`
  return {
    url,
    id: deployment.id,
    node_id: nodeId('Deployment', deployment.id),
    sha: deployment.sha,
    ref: deployment.ref,
    task: 'deploy',
    payload: {},
    original_environment: environment,
    environment,
    description: null,
    creator: accountResponse(state, repository.owner),
    created_at: formatGithubTime(deployment.createdAt),
    updated_at: formatGithubTime(deployment.createdAt),
    statuses_url: `${url}/statuses`,
    repository_url: repositoryApiUrl(state, repository),
    transient_environment: false,
    production_environment: false,
  }
}

export function deploymentStatusResponse(
  state: State,
  repository: Repository,
  deployment: Deployment,
  status: DeploymentStatus,
) {
  const deploymentUrl = `${repositoryApiUrl(state, repository)}/deployments/${deployment.id}`
  return {
    url: `${deploymentUrl}/statuses/${status.id}`,
    id: status.id,
    node_id: nodeId('DeploymentStatus', status.id),
    state: 'success',
    creator: accountResponse(state, repository.owner),
    description: '',
    environment,
    target_url: `${repositoryPageUrl(state, repository)}/deployments`,
    created_at: formatGithubTime(status.createdAt),
    updated_at: formatGithubTime(status.createdAt),
    deployment_url: deploymentUrl,
    repository_url: repositoryApiUrl(state, repository),
    environment_url: status.environmentUrl,
    log_url: `${repositoryPageUrl(state, repository)}/deployments`,
  }
}
