import type { Egress } from '../../platform/egress/egress.ts'
import type { ConnectionProblemCode, ConnectionTest, GitRemote } from '../code-host.ts'
import { CodeHostError, failureOfCall, isCodeHostError } from '../code-host-error.ts'
import { GiteaBranch, GiteaRepository } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

type Parts = { api: GiteaApi; gitRemote: GitRemote; egress: Egress; baseBranch: string }

const problem = (code: ConnectionProblemCode, message: string): ConnectionTest => ({ works: false, code, message })

export async function testGiteaConnection({ api, gitRemote, egress, baseBranch }: Parts): Promise<ConnectionTest> {
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
    const branch = await api.call('GET', `/branches/${encodeURIComponent(baseBranch)}`, GiteaBranch).catch(orNotFound)
    if (!branch) {
      return problem('base_branch_not_found', `The repository has no branch ${baseBranch}. Choose one that exists.`)
    }
    // What is said above is what the user may do; a token may be good for less, and only a push finds out.
    if (!(await mayPush(gitRemote, egress))) {
      return problem('token_cannot_push', 'The token may only read. Make one that may write to repositories.')
    }
    return { works: true, baseCommit: branch.commit.id, canManageWebhooks: repository.permissions.admin }
  } catch (error) {
    if (error instanceof CodeHostError) return problemOf(error)
    throw error
  }
}

function orNotFound(error: unknown): undefined {
  if (isCodeHostError(error, 'not_found')) return undefined
  throw error
}

async function mayPush({ url, authorization }: GitRemote, egress: Egress): Promise<boolean> {
  const response = await egress
    .fetch(`${url}/info/refs?service=git-receive-pack`, { headers: { authorization: authorization() } })
    .catch((error: unknown) => {
      throw failureOfCall(error)
    })
  await response.body?.cancel()
  return response.headers.get('content-type') === 'application/x-git-receive-pack-advertisement'
}

function problemOf(error: CodeHostError): ConnectionTest {
  switch (error.failure.code) {
    case 'address_refused':
      return problem('address_refused', error.message)
    case 'token_rejected':
      return problem('token_rejected', 'The host does not know this token. Was it copied whole, and not revoked?')
    case 'forbidden':
      return problem(
        'token_cannot_read',
        'The token may not read the repository. Make one that may write to repositories.',
      )
    case 'not_found':
      return problem(
        'repository_not_found',
        "There is no such repository, or the token's user cannot see it. Check the address, the owner and the name.",
      )
    case 'moved':
      return problem('repository_moved', error.message)
    case 'unexpected_answer':
    case 'too_large':
      return problem('not_this_host', `${error.message} Give the address of the page that people see, without a path.`)
    default:
      return problem('unreachable', error.message)
  }
}
