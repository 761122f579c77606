/**
 * Commits are made by GitHub, which then signs them; so they are not known by the names that git would have given them.
 * Files, tree and commit change nothing that anybody sees, and can be made again; the branch is set last, and never by force.
 */
import { isUtf8 } from 'node:buffer'
import type { CommitChange, CommitId, PreparedCommit, PutCommit } from '../code-host.ts'
import { CodeHostError, isCodeHostError } from '../code-host-error.ts'
import { encodePath, unlessMissing } from '../json-api.ts'
import { GithubCommit, GithubMade, GithubRef } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

export async function githubBranchHead(api: GithubApi, branch: string): Promise<CommitId | undefined> {
  const found = await unlessMissing(api.call('GET', `/git/ref/heads/${encodePath(branch)}`, GithubRef))
  return found?.object.sha
}

export async function putGithubCommit(api: GithubApi, commit: PreparedCommit, branch: string): Promise<PutCommit> {
  const head = await githubBranchHead(api, branch)
  if (head !== undefined && head !== commit.parent) return { kind: 'branch_moved' }
  const tree = await makeTree(api, commit)
  const made = { message: commit.message, tree, parents: [commit.parent] }
  const { sha } = await api.call('POST', '/git/commits', GithubMade, made)
  try {
    if (head === undefined) await api.call('POST', '/git/refs', GithubRef, { ref: `refs/heads/${branch}`, sha })
    else await api.call('PATCH', `/git/refs/heads/${encodePath(branch)}`, GithubRef, { sha, force: false })
    return { kind: 'put', commit: sha }
  } catch (error) {
    if (!isCodeHostError(error, 'rejected')) throw error
    if (/already exists|does not exist|fast.?forward/i.test(error.message)) return { kind: 'branch_moved' }
    throw new CodeHostError({ kind: 'final', code: 'push_refused' }, error.message) // a rule of the repository
  }
}

export async function githubTreeOf(api: GithubApi, commit: CommitId): Promise<string> {
  return (await api.call('GET', `/git/commits/${commit}`, GithubCommit)).tree.sha
}

async function makeTree(api: GithubApi, commit: PreparedCommit): Promise<string> {
  const entries = []
  for (const change of commit.changes) entries.push(await entryOf(api, commit, change))
  const baseTree = await githubTreeOf(api, commit.parent)
  const { sha } = await api.call('POST', '/git/trees', GithubMade, { base_tree: baseTree, tree: entries })
  if (sha === commit.tree) return sha
  throw new CodeHostError(
    { kind: 'retry', code: 'unexpected_response' },
    'The code host made other files of a result than it was sent.',
  )
}

/** Larger ones are sent by themselves: a call has its limits. */
const maxInlineBytes = 200_000

async function entryOf(api: GithubApi, commit: PreparedCommit, { path, mode, blob }: CommitChange) {
  const entry = { path, mode, type: 'blob' }
  if (blob === null) return { ...entry, sha: null }
  const contents = await commit.contentsOf(blob)
  if (!contents) return { ...entry, sha: blob }
  if (contents.length <= maxInlineBytes && isUtf8(contents) && !contents.includes(0)) {
    return { ...entry, content: contents.toString('utf8') }
  }
  const sent = { content: contents.toString('base64'), encoding: 'base64' }
  const { sha } = await api.call('POST', '/git/blobs', GithubMade, sent)
  return { ...entry, sha }
}

export async function deleteGithubBranch(api: GithubApi, branch: string, pushed: CommitId) {
  const head = await githubBranchHead(api, branch)
  if (!head) return 'absent'
  if (head !== pushed) return 'moved'
  try {
    await api.run('DELETE', `/git/refs/heads/${encodePath(branch)}`)
    return 'deleted'
  } catch (error) {
    if (isCodeHostError(error, 'not_found', 'rejected')) return 'absent' // "Reference does not exist"
    throw error
  }
}
