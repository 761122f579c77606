import type { CommitId, FolderLook } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { lookInTree } from '../folder-look.ts'
import { encodePath, unlessMissing } from '../json-api.ts'
import { githubTreeOf } from './commits.ts'
import { GithubContents, GithubTree } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

export async function lookAtGithubFolder(api: GithubApi, commit: CommitId, folder: string): Promise<FolderLook> {
  const tree = await readTree(api, commit)
  if (!tree) return { exists: folder === '' || (await isFolder(api, commit, folder)), pages: null }
  return lookInTree(tree, folder)
}

/** Undefined: there is more in it than one answer holds. */
async function readTree(api: GithubApi, commit: CommitId) {
  try {
    const path = `/git/trees/${await githubTreeOf(api, commit)}?recursive=1`
    const { tree, truncated } = await api.call('GET', path, GithubTree)
    return truncated ? undefined : tree
  } catch (error) {
    if (isCodeHostError(error, 'too_large')) return undefined
    throw error
  }
}

async function isFolder(api: GithubApi, commit: CommitId, folder: string): Promise<boolean> {
  const path = `/contents/${encodePath(folder)}?ref=${commit}`
  return Array.isArray(await unlessMissing(api.call('GET', path, GithubContents)))
}
