import type { CommitId, FolderSummary } from '../code-host.ts'
import { summarizeFolder } from '../folder-summary.ts'
import { encodePath, undefinedIfNotFound } from '../json-api.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaContents, GiteaTree } from './gitea-schemas.ts'

/** One page of the tree is enough for most repositories. For larger ones, only checks that the folder exists. */
export async function inspectDocsFolderOnGitea(
  api: GiteaApi,
  commit: CommitId,
  folder: string,
): Promise<FolderSummary> {
  const { tree, truncated } = await api.call('GET', `/git/trees/${commit}?recursive=true&per_page=1000`, GiteaTree)
  if (truncated) return { exists: folder === '' || (await isFolder(api, commit, folder)), pages: null }
  return summarizeFolder(tree, folder)
}

async function isFolder(api: GiteaApi, commit: CommitId, folder: string): Promise<boolean> {
  const path = `/contents/${encodePath(folder)}?ref=${commit}`
  return Array.isArray(await undefinedIfNotFound(api.call('GET', path, GiteaContents)))
}
