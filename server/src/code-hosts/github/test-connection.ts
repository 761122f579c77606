import type { Egress } from '../../platform/egress/egress.ts'
import type { ConnectionTestResult, GitRemote } from '../code-host.ts'
import { CodeHostError, isCodeHostErrorWithCode } from '../code-host-error.ts'
import { connectionProblem, toConnectionProblem } from '../connection-problem.ts'
import { hasPushAccess } from '../git/push-access.ts'
import { findGithubBranchHead } from './commits.ts'
import type { GithubApi } from './github-api.ts'
import type { GithubConnection } from './github-connection.ts'
import { GithubPullRequest } from './github-schemas.ts'
import { canManageGithubWebhooks } from './webhooks.ts'

type Deps = {
  api: GithubApi
  access: GithubConnection['access']
  gitRemote(): Promise<GitRemote>
  egress: Egress
  baseBranch: string
}

export async function testGithubConnection({
  api,
  access,
  gitRemote,
  egress,
  baseBranch,
}: Deps): Promise<ConnectionTestResult> {
  try {
    const repository = await api.readRepository()
    if (repository.archived) {
      return connectionProblem(
        'repository_archived',
        'The repository is archived, so nothing can be pushed to it. Unarchive it in its settings on GitHub.',
      )
    }
    if (repository.disabled) {
      return connectionProblem('repository_archived', 'GitHub has disabled the repository. Contact GitHub Support.')
    }
    if (repository.has_pull_requests === false) {
      return connectionProblem(
        'pull_requests_disabled',
        'Pull requests are disabled for this repository. Enable them in its settings on GitHub.',
      )
    }
    if (access.kind === 'token' && repository.permissions?.push !== true) {
      return connectionProblem(
        'token_cannot_push',
        "The token's user cannot push to the repository. Give that user write access to it.",
      )
    }
    // The permissions above are those of the user. The token may have fewer, and only a request shows it.
    if (!(await hasPushAccess(await gitRemote(), egress))) {
      return connectionProblem(
        'token_cannot_push',
        'The token cannot write to the repository. Give it the permission "Contents: read and write" for this repository in your GitHub settings.',
      )
    }
    const baseCommit = await findGithubBranchHead(api, baseBranch).catch(ignoreEmptyRepository)
    if (!baseCommit) {
      return connectionProblem(
        'base_branch_not_found',
        `The repository has no branch ${baseBranch}. Enter an existing branch; the default branch is ${repository.default_branch}.`,
      )
    }
    if (access.kind === 'token' && !(await mayOpenPullRequests(api, baseBranch))) {
      return connectionProblem(
        'token_cannot_push',
        'The token cannot open pull requests. Give it the permission "Pull requests: read and write" in your GitHub settings.',
      )
    }
    return {
      ok: true,
      baseCommit,
      defaultBranch: repository.default_branch,
      // An App has one webhook for all its repositories.
      canManageWebhooks: access.kind === 'installation' || (await canManageGithubWebhooks(api)),
    }
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    if (isCodeHostErrorWithCode(error, 'not_found') && access.kind === 'token') {
      return connectionProblem(
        'repository_not_found',
        'The repository does not exist, or the token has no access to it. Check the owner and the name, and add the repository to the token in your GitHub settings.',
      )
    }
    return access.kind === 'installation' && error.failure.kind === 'final'
      ? { ...toConnectionProblem(error), message: error.message }
      : toConnectionProblem(error)
  }
}

/** GitHub responds with a conflict for a repository without commits. */
function ignoreEmptyRepository(error: unknown): undefined {
  if (!isCodeHostErrorWithCode(error, 'conflict')) throw error
}

/**
 * GitHub does not report the permissions of a token. A pull request from a branch to itself is always rejected, but with
 * different errors for tokens that may open pull requests and for those that may not.
 */
async function mayOpenPullRequests(api: GithubApi, branch: string): Promise<boolean> {
  try {
    await api.call('POST', '/pulls', GithubPullRequest, { head: branch, base: branch, title: 'Connection test' })
    return true
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'rejected')) return true
    if (isCodeHostErrorWithCode(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
