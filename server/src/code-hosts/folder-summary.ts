import { isPage } from '../site-generators/page-format.ts'
import type { FolderSummary } from './code-host.ts'

/** `tree` is the whole tree of a commit. */
export function summarizeFolder(tree: readonly { path: string; type: string }[], folder: string): FolderSummary {
  const inside = folder === '' ? tree : tree.filter(({ path }) => path.startsWith(`${folder}/`))
  const pages = inside.filter(({ path, type }) => type === 'blob' && isPage(path.slice(path.lastIndexOf('/') + 1)))
  return { exists: folder === '' || inside.length > 0, pages: pages.length }
}
