/**
 * GitHub creates the commits and signs them, so their ids differ from those that git would compute. Blobs, tree and commit
 * are not visible to anyone and can be created repeatedly. The branch is updated last, and never with force.
 */
import { isUtf8 } from 'node:buffer'
import type { CommitChange, CommitId, PreparedCommit, PutCommitResult } from '../code-host.ts'
import { CodeHostError, isCodeHostErrorWithCode } from '../code-host-error.ts'
import { encodePath, undefinedIfNotFound } from '../json-api.ts'
import type { GithubApi } from './github-api.ts'
import { GithubCommit, GithubCreatedObject, GithubRef } from './github-schemas.ts'

export async function findGithubBranchHead(api: GithubApi, branch: string): Promise<CommitId | undefined> {
  const found = await undefinedIfNotFound(api.call('GET', `/git/ref/heads/${encodePath(branch)}`, GithubRef))
  return found?.object.sha
}

export async function putGithubCommit(
  api: GithubApi,
  commit: PreparedCommit,
  branch: string,
): Promise<PutCommitResult> {
  const head = await findGithubBranchHead(api, branch)
  if (head !== undefined && head !== commit.parents[0]) return { kind: 'branch_moved' }
  const tree = await createTree(api, commit)
  const newCommit = { message: commit.message, tree, parents: commit.parents }
  const { sha } = await api.call('POST', '/git/commits', GithubCreatedObject, newCommit)
  try {
    if (head === undefined) await api.call('POST', '/git/refs', GithubRef, { ref: `refs/heads/${branch}`, sha })
    else await api.call('PATCH', `/git/refs/heads/${encodePath(branch)}`, GithubRef, { sha, force: false })
    return { kind: 'put', commit: sha }
  } catch (error) {
    if (!isCodeHostErrorWithCode(error, 'rejected')) throw error
    if (/already exists|does not exist|fast.?forward/i.test(error.message)) return { kind: 'branch_moved' }
    throw new CodeHostError({ kind: 'final', code: 'push_rejected' }, error.message) // a ruleset of the repository
  }
}

export async function readGithubTreeId(api: GithubApi, commit: CommitId): Promise<string> {
  return (await api.call('GET', `/git/commits/${commit}`, GithubCommit)).tree.sha
}

async function createTree(api: GithubApi, commit: PreparedCommit): Promise<string> {
  const entries = []
  for (const change of commit.changes) entries.push(await toTreeEntry(api, commit, change))
  const baseTree = await readGithubTreeId(api, commit.changedFrom)
  const { sha } = await api.call('POST', '/git/trees', GithubCreatedObject, { base_tree: baseTree, tree: entries })
  if (sha === commit.tree) return sha
  throw new CodeHostError(
    { kind: 'retry', code: 'unexpected_response' },
    'The code host created a tree that differs from the files it was sent.',
  )
}

/** Larger files are sent in separate requests, because the size of a request is limited. */
const maxInlineBytes = 200_000

async function toTreeEntry(api: GithubApi, commit: PreparedCommit, { path, mode, blob }: CommitChange) {
  const entry = { path, mode, type: mode === '160000' ? 'commit' : 'blob' }
  if (blob === null) return { ...entry, sha: null }
  const contents = await commit.readBlob(blob)
  if (!contents) return { ...entry, sha: blob }
  if (contents.length <= maxInlineBytes && isUtf8(contents) && !contents.includes(0)) {
    return { ...entry, content: contents.toString('utf8') }
  }
  const newBlob = { content: contents.toString('base64'), encoding: 'base64' }
  const { sha } = await api.call('POST', '/git/blobs', GithubCreatedObject, newBlob)
  return { ...entry, sha }
}

export async function deleteGithubBranch(api: GithubApi, branch: string, pushed: CommitId) {
  const head = await findGithubBranchHead(api, branch)
  if (!head) return 'absent'
  if (head !== pushed) return 'moved'
  try {
    await api.send('DELETE', `/git/refs/heads/${encodePath(branch)}`)
    return 'deleted'
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'not_found', 'rejected')) return 'absent' // "Reference does not exist"
    throw error
  }
}
