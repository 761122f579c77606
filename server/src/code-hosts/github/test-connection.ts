import type { Egress } from '../../platform/egress/egress.ts'
import type { ConnectionTest, GitRemote } from '../code-host.ts'
import { CodeHostError, isCodeHostError } from '../code-host-error.ts'
import { problem, problemOf } from '../connection-problem.ts'
import { mayPushTo } from '../git/may-push-to.ts'
import { githubBranchHead } from './commits.ts'
import { GithubPullRequest } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'
import type { GithubConnection } from './github-connection.ts'
import { mayManageGithubWebhooks } from './webhooks.ts'

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
}: Deps): Promise<ConnectionTest> {
  try {
    const repository = await api.readRepository()
    if (repository.archived) return problem('repository_archived', 'The repository is archived: nothing can be pushed.')
    if (repository.disabled) return problem('repository_archived', 'GitHub has disabled the repository.')
    if (repository.has_pull_requests === false) {
      return problem(
        'pull_requests_disabled',
        "Pull requests are turned off. Turn them on in the repository's settings.",
      )
    }
    if (access.kind === 'token' && repository.permissions?.push !== true) {
      return problem(
        'token_cannot_push',
        "The token's user may not push. Give the user write access to the repository.",
      )
    }
    // What is said above is what the user may do; a token may be good for less, and only trying finds out.
    if (!(await mayPushTo(await gitRemote(), egress))) {
      return problem(
        'token_cannot_push',
        'The token may not write to the repository. Give it the permission "Contents: read and write", for this repository.',
      )
    }
    const baseCommit = await githubBranchHead(api, baseBranch).catch(ifEmpty)
    if (!baseCommit) {
      return problem(
        'base_branch_not_found',
        `The repository has no branch ${baseBranch}. Its default branch is ${repository.default_branch}.`,
      )
    }
    if (access.kind === 'token' && !(await mayOpenPullRequests(api, baseBranch))) {
      return problem(
        'token_cannot_push',
        'The token may not open pull requests. Give it the permission "Pull requests: read and write".',
      )
    }
    return {
      ok: true,
      baseCommit,
      defaultBranch: repository.default_branch,
      // An App has a webhook of its own, for all its repositories.
      canManageWebhooks: access.kind === 'installation' || (await mayManageGithubWebhooks(api)),
    }
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    if (isCodeHostError(error, 'not_found') && access.kind === 'token') {
      return problem(
        'repository_not_found',
        'There is no such repository, or it is not among those that the token was made for. Check the owner and the name, and the repositories that the token may access.',
      )
    }
    return access.kind === 'installation' && error.failure.kind === 'final'
      ? { ...problemOf(error), message: error.message }
      : problemOf(error)
  }
}

/** GitHub tells of a repository without any commit by a conflict. */
function ifEmpty(error: unknown): undefined {
  if (!isCodeHostError(error, 'conflict')) throw error
}

/**
 * GitHub does not say what a token may do. A pull request from a branch to itself cannot be: who may open pull requests is
 * told that, others that they may not.
 */
async function mayOpenPullRequests(api: GithubApi, branch: string): Promise<boolean> {
  try {
    await api.call('POST', '/pulls', GithubPullRequest, { head: branch, base: branch, title: 'A test of a connection' })
    return true
  } catch (error) {
    if (isCodeHostError(error, 'rejected')) return true
    if (isCodeHostError(error, 'forbidden', 'not_found')) return false
    throw error
  }
}
