import type { Egress } from '../../platform/egress/egress.ts'
import type { ConnectionTest, GitRemote } from '../code-host.ts'
import { CodeHostError } from '../code-host-error.ts'
import { problem, problemOf } from '../connection-problem.ts'
import { mayPushTo } from '../git/may-push-to.ts'
import { unlessMissing } from '../json-api.ts'
import { GiteaBranch, GiteaRepository } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

type Deps = { api: GiteaApi; gitRemote(): Promise<GitRemote>; egress: Egress; baseBranch: string }

export async function testGiteaConnection({ api, gitRemote, egress, baseBranch }: Deps): Promise<ConnectionTest> {
  try {
    const repository = await api.call('GET', '', GiteaRepository)
    if (repository.archived) return problem('repository_archived', 'The repository is archived: nothing can be pushed.')
    if (repository.mirror) return problem('repository_is_mirror', 'The repository is a mirror: connect its original.')
    if ((repository.object_format_name ?? 'sha1') !== 'sha1') {
      return problem('object_format_not_supported', 'Only repositories with SHA-1 object ids can be connected.')
    }
    if (!repository.has_pull_requests) {
      return problem(
        'pull_requests_disabled',
        "Pull requests are turned off. Turn them on in the repository's settings.",
      )
    }
    if (!repository.permissions.push) {
      return problem(
        'token_cannot_push',
        "The token's user may not push. Give the user write access to the repository.",
      )
    }
    const branch = await unlessMissing(api.call('GET', `/branches/${encodeURIComponent(baseBranch)}`, GiteaBranch))
    if (!branch) {
      return problem(
        'base_branch_not_found',
        `The repository has no branch ${baseBranch}. Its default branch is ${repository.default_branch}.`,
      )
    }
    // What is said above is what the user may do; a token may be good for less, and only a push finds out.
    if (!(await mayPushTo(await gitRemote(), egress))) {
      return problem('token_cannot_push', 'The token may only read. Make one that may write to repositories.')
    }
    return {
      ok: true,
      baseCommit: branch.commit.id,
      defaultBranch: repository.default_branch,
      canManageWebhooks: repository.permissions.admin,
    }
  } catch (error) {
    if (error instanceof CodeHostError) return problemOf(error)
    throw error
  }
}
