import type { CommitId, FolderLook } from '../code-host.ts'
import { lookInTree } from '../folder-look.ts'
import { encodePath, unlessMissing } from '../json-api.ts'
import { GiteaContents, GiteaTree } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

/** One page of the tree tells it for most repositories; of a larger one only whether the folder is there. */
export async function lookAtGiteaFolder(api: GiteaApi, commit: CommitId, folder: string): Promise<FolderLook> {
  const { tree, truncated } = await api.call('GET', `/git/trees/${commit}?recursive=true&per_page=1000`, GiteaTree)
  if (truncated) return { exists: folder === '' || (await isFolder(api, commit, folder)), pages: null }
  return lookInTree(tree, folder)
}

async function isFolder(api: GiteaApi, commit: CommitId, folder: string): Promise<boolean> {
  const path = `/contents/${encodePath(folder)}?ref=${commit}`
  return Array.isArray(await unlessMissing(api.call('GET', path, GiteaContents)))
}
