import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, GitRemote } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { readGithubCheckLog } from './check-log.ts'
import { readGithubChecks } from './checks.ts'
import { acknowledgeGithubComment, hasGithubWriteAccess, listGithubComments } from './comments.ts'
import { deleteGithubBranch, findGithubBranchHead, putGithubCommit } from './commits.ts'
import { createGithubApi } from './github-api.ts'
import type { GithubConnection } from './github-connection.ts'
import { inspectDocsFolderOnGithub } from './inspect-folder.ts'
import type { InstallationTokenCache } from './installation-token-cache.ts'
import {
  ensureGithubPullRequest,
  findGithubPullRequest,
  findGithubPullRequestOfBranch,
  updateGithubPullRequestText,
} from './pull-requests.ts'
import { testGithubConnection } from './test-connection.ts'
import { ensureGithubWebhook, removeGithubWebhooks } from './webhooks.ts'

export function createGithubHost(
  connection: GithubConnection,
  egress: Egress,
  tokens: InstallationTokenCache,
): CodeHost {
  const { baseUrl, access } = connection
  const api = createGithubApi(connection, egress, tokens)

  async function gitRemote(): Promise<GitRemote> {
    // Read each time, so that the name is current and GitHub has just accepted the token.
    const { owner, name } = await api.readRepository()
    const basic = Buffer.from(`x-access-token:${await api.token()}`).toString('base64')
    return { url: `${baseUrl}/${owner.login}/${name}.git`, authorization: () => `Basic ${basic}` }
  }

  return {
    gitRemote,

    async readRepositoryState() {
      try {
        const { id, owner, name, archived, disabled } = await api.readRepository()
        if (archived || disabled) return { kind: 'archived', id, owner: owner.login, name }
        return { kind: 'usable', id, owner: owner.login, name }
      } catch (error) {
        if (isCodeHostErrorWithCode(error, 'not_found')) return { kind: 'not_found' }
        if (isCodeHostErrorWithCode(error, 'token_rejected', 'forbidden')) return { kind: 'access_revoked' }
        throw error
      }
    },

    testConnection: (baseBranch) => testGithubConnection({ api, access, gitRemote, egress, baseBranch }),
    inspectFolder: (commit, folder) => inspectDocsFolderOnGithub(api, commit, folder),
    branchHead: (branch) => findGithubBranchHead(api, branch),
    putCommit: (commit, branch) => putGithubCommit(api, commit, branch),
    deleteBranch: (branch, pushed) => deleteGithubBranch(api, branch, pushed),
    ensurePullRequest: (spec) => ensureGithubPullRequest(api, spec),
    findPullRequest: (number) => findGithubPullRequest(api, number),
    findPullRequestOfBranch: (branches) => findGithubPullRequestOfBranch(api, branches),
    updatePullRequestText: (number, text) => updateGithubPullRequestText(api, number, text),
    listComments: (number, since) => listGithubComments(api, number, since),
    acknowledgeComment: (commentId) => acknowledgeGithubComment(api, commentId),
    hasWriteAccess: (userName) => hasGithubWriteAccess(api, userName),
    readChecks: (commit) => readGithubChecks(api, connection.baseUrl, commit),
    readCheckLog: (check) => readGithubCheckLog(api, egress, check),

    ensureWebhook: async (webhook) =>
      // The App has a webhook, which was created together with it.
      access.kind === 'installation' ? 'ensured' : await ensureGithubWebhook(api, webhook),

    removeWebhooks: async (urlEnd) =>
      access.kind === 'installation' ? 'removed' : await removeGithubWebhooks(api, urlEnd),
  }
}
