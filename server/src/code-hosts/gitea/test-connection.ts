import type { Egress } from '../../platform/egress/egress.ts'
import type { ConnectionTestResult, GitRemote } from '../code-host.ts'
import { CodeHostError } from '../code-host-error.ts'
import { connectionProblem, toConnectionProblem } from '../connection-problem.ts'
import { hasPushAccess } from '../git/push-access.ts'
import { undefinedIfNotFound } from '../json-api.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaBranch, GiteaRepository } from './gitea-schemas.ts'

type Deps = { api: GiteaApi; gitRemote(): Promise<GitRemote>; egress: Egress; baseBranch: string }

export async function testGiteaConnection({ api, gitRemote, egress, baseBranch }: Deps): Promise<ConnectionTestResult> {
  try {
    const repository = await api.call('GET', '', GiteaRepository)
    if (repository.archived) {
      return connectionProblem(
        'repository_archived',
        'The repository is archived, so nothing can be pushed to it. Unarchive it in its settings.',
      )
    }
    if (repository.mirror) {
      return connectionProblem(
        'repository_is_mirror',
        'The repository is a pull mirror. Connect the original repository instead.',
      )
    }
    if ((repository.object_format_name ?? 'sha1') !== 'sha1') {
      return connectionProblem(
        'object_format_not_supported',
        'The repository uses SHA-256 object ids, which are not supported. Connect a repository with the object format SHA-1.',
      )
    }
    if (!repository.has_pull_requests) {
      return connectionProblem(
        'pull_requests_disabled',
        'Pull requests are disabled for this repository. Enable them in its settings.',
      )
    }
    if (!repository.permissions.push) {
      return connectionProblem(
        'token_cannot_push',
        "The token's user cannot push to the repository. Give that user write access to it.",
      )
    }
    const branch = await undefinedIfNotFound(
      api.call('GET', `/branches/${encodeURIComponent(baseBranch)}`, GiteaBranch),
    )
    if (!branch) {
      return connectionProblem(
        'base_branch_not_found',
        `The repository has no branch ${baseBranch}. Enter an existing branch; the default branch is ${repository.default_branch}.`,
      )
    }
    // The permissions above are those of the user. The token may have fewer, and only a push shows it.
    if (!(await hasPushAccess(await gitRemote(), egress))) {
      return connectionProblem(
        'token_cannot_push',
        'The token is read-only. Create a token with the permission "repository: Read and Write".',
      )
    }
    return {
      ok: true,
      baseCommit: branch.commit.id,
      defaultBranch: repository.default_branch,
      canManageWebhooks: repository.permissions.admin,
    }
  } catch (error) {
    if (error instanceof CodeHostError) return toConnectionProblem(error)
    throw error
  }
}
