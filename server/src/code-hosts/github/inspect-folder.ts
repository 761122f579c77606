import type { CommitId, FolderSummary } from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { summarizeFolder } from '../folder-summary.ts'
import { encodePath, undefinedIfNotFound } from '../json-api.ts'
import { readGithubTreeId } from './commits.ts'
import type { GithubApi } from './github-api.ts'
import { GithubContents, GithubTree } from './github-schemas.ts'

export async function inspectDocsFolderOnGithub(
  api: GithubApi,
  commit: CommitId,
  folder: string,
): Promise<FolderSummary> {
  const tree = await readTree(api, commit)
  if (!tree) return { exists: folder === '' || (await isFolder(api, commit, folder)), pages: null }
  return summarizeFolder(tree, folder)
}

/** Undefined: the tree is too large for one response. */
async function readTree(api: GithubApi, commit: CommitId) {
  try {
    const path = `/git/trees/${await readGithubTreeId(api, commit)}?recursive=1`
    const { tree, truncated } = await api.call('GET', path, GithubTree)
    return truncated ? undefined : tree
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'too_large')) return undefined
    throw error
  }
}

async function isFolder(api: GithubApi, commit: CommitId, folder: string): Promise<boolean> {
  const path = `/contents/${encodePath(folder)}?ref=${commit}`
  return Array.isArray(await undefinedIfNotFound(api.call('GET', path, GithubContents)))
}
