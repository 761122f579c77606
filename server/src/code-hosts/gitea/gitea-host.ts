import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, GitRemote } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { encodePath, undefinedIfNotFound } from '../json-api.ts'
import { readGiteaChecks } from './checks.ts'
import { acknowledgeGiteaComment, hasGiteaWriteAccess, listGiteaComments } from './comments.ts'
import { createGiteaApi, type GiteaConnection } from './gitea-api.ts'
import { GiteaRefs, GiteaRepository } from './gitea-schemas.ts'
import { inspectDocsFolderOnGitea } from './inspect-folder.ts'
import {
  ensureGiteaPullRequest,
  findGiteaPullRequest,
  findGiteaPullRequestOfBranch,
  updateGiteaPullRequestText,
} from './pull-requests.ts'
import { testGiteaConnection } from './test-connection.ts'
import { ensureGiteaWebhook, removeGiteaWebhooks } from './webhooks.ts'

export function createGiteaHost(connection: GiteaConnection, egress: Egress): CodeHost {
  const api = createGiteaApi(connection, egress)
  const readRepository = () => api.call('GET', '', GiteaRepository)

  async function gitRemote(): Promise<GitRemote> {
    const { owner, name } = await readRepository()
    return {
      // Built here and not read from a response: the token is sent only to the host that a person entered.
      url: `${connection.baseUrl}/${encodeURIComponent(owner.login)}/${encodeURIComponent(name)}.git`,
      authorization: () => `Basic ${Buffer.from(`colophon:${connection.token}`).toString('base64')}`,
    }
  }

  /**
   * Reads git's own refs. The list of branches is in Gitea's database, to which Gitea adds a branch after the push: if it is killed in
   * between, the branch is missing there for good (tried).
   */
  async function branchHead(branch: string) {
    const refs = await undefinedIfNotFound(api.call('GET', `/git/refs/heads/${encodePath(branch)}`, GiteaRefs))
    return refs?.find(({ ref }) => ref === `refs/heads/${branch}`)?.object.sha // the others only start like it
  }

  return {
    gitRemote,
    branchHead,

    async readRepositoryState() {
      try {
        const { id, owner, name, archived } = await readRepository()
        if (archived) return { kind: 'archived', id, owner: owner.login, name }
        return { kind: 'usable', id, owner: owner.login, name }
      } catch (error) {
        if (isCodeHostErrorWithCode(error, 'not_found')) return { kind: 'not_found' }
        if (isCodeHostErrorWithCode(error, 'token_rejected', 'forbidden')) return { kind: 'access_revoked' }
        throw error
      }
    },

    testConnection: (baseBranch) => testGiteaConnection({ api, gitRemote, egress, baseBranch }),
    inspectFolder: (commit, folder) => inspectDocsFolderOnGitea(api, commit, folder),

    async putCommit(commit, branch) {
      const outcome = await commit.push(branch)
      return outcome === 'pushed' ? { kind: 'put', commit: commit.id } : { kind: outcome }
    },

    async deleteBranch(branch, pushed) {
      const head = await branchHead(branch)
      if (!head) return 'absent'
      if (head !== pushed) return 'moved'
      const deleted = await undefinedIfNotFound(api.send('DELETE', `/branches/${encodePath(branch)}`).then(() => true))
      return deleted ? 'deleted' : 'absent'
    },

    ensurePullRequest: (spec) => ensureGiteaPullRequest(api, spec),
    findPullRequest: (number) => findGiteaPullRequest(api, number),
    findPullRequestOfBranch: (branches) => findGiteaPullRequestOfBranch(api, branches),
    updatePullRequestText: (number, text) => updateGiteaPullRequestText(api, number, text),
    listComments: (number, since) => listGiteaComments(api, number, since),
    acknowledgeComment: (commentId) => acknowledgeGiteaComment(api, commentId),
    hasWriteAccess: (userName) => hasGiteaWriteAccess(api, userName),
    readChecks: (commit) => readGiteaChecks(api, connection.baseUrl, commit),
    readCheckLog: async () => null, // statuses have no log, and Gitea Actions do not say which job a status belongs to
    ensureWebhook: (webhook) => ensureGiteaWebhook(api, webhook),
    removeWebhooks: (urlEnd) => removeGiteaWebhooks(api, urlEnd),
  }
}
