import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, GitRemote } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { encodePath, unlessMissing } from '../json-api.ts'
import { readGiteaChecks } from './checks.ts'
import { acknowledgeGiteaComment, listGiteaComments, mayWriteToGitea } from './comments.ts'
import { GiteaBranch, GiteaRepository } from './gitea-answers.ts'
import { createGiteaApi, type GiteaConnection } from './gitea-api.ts'
import { lookAtGiteaFolder } from './look-at-folder.ts'
import { ensureGiteaPullRequest, findGiteaPullRequest, rewriteGiteaPullRequest } from './pull-requests.ts'
import { testGiteaConnection } from './test-connection.ts'
import { ensureGiteaWebhook } from './webhooks.ts'

export function createGiteaHost(connection: GiteaConnection, egress: Egress): CodeHost {
  const api = createGiteaApi(connection, egress)
  const readRepository = () => api.call('GET', '', GiteaRepository)

  async function gitRemote(): Promise<GitRemote> {
    const { owner, name } = await readRepository()
    return {
      // Built here and not taken from an answer: the token goes where a person said, not where a host says.
      url: `${connection.baseUrl}/${encodeURIComponent(owner.login)}/${encodeURIComponent(name)}.git`,
      authorization: () => `Basic ${Buffer.from(`colophon:${connection.token}`).toString('base64')}`,
    }
  }

  async function branchHead(branch: string) {
    const found = await unlessMissing(api.call('GET', `/branches/${encodePath(branch)}`, GiteaBranch))
    return found?.commit.id
  }

  return {
    gitRemote,
    branchHead,

    async look() {
      try {
        const { id, owner, name, archived } = await readRepository()
        if (archived) return { kind: 'archived', id, owner: owner.login, name }
        return { kind: 'usable', id, owner: owner.login, name }
      } catch (error) {
        if (isCodeHostError(error, 'not_found')) return { kind: 'not_found' }
        if (isCodeHostError(error, 'token_rejected', 'forbidden')) return { kind: 'access_revoked' }
        throw error
      }
    },

    testConnection: (baseBranch) => testGiteaConnection({ api, gitRemote, egress, baseBranch }),
    lookAtFolder: (commit, folder) => lookAtGiteaFolder(api, commit, folder),

    async putCommit(commit, branch) {
      const pushed = await commit.push(branch)
      return pushed === 'pushed' ? { kind: 'put', commit: commit.id } : { kind: pushed }
    },

    async deleteBranch(branch, pushed) {
      const head = await branchHead(branch)
      if (!head) return 'absent'
      if (head !== pushed) return 'moved'
      const deleted = await unlessMissing(api.run('DELETE', `/branches/${encodePath(branch)}`).then(() => true))
      return deleted ? 'deleted' : 'absent'
    },

    ensurePullRequest: (wanted) => ensureGiteaPullRequest(api, wanted),
    findPullRequest: (number) => findGiteaPullRequest(api, number),
    rewritePullRequest: (number, text) => rewriteGiteaPullRequest(api, number, text),
    listComments: (number, since) => listGiteaComments(api, number, since),
    acknowledgeComment: (commentId) => acknowledgeGiteaComment(api, commentId),
    mayWrite: (userName) => mayWriteToGitea(api, userName),
    readChecks: (commit) => readGiteaChecks(api, connection.baseUrl, commit),
    readCheckLog: async () => null, // statuses have none, and Gitea's own Actions do not say which job a status is of
    ensureWebhook: (webhook) => ensureGiteaWebhook(api, webhook),
  }
}
