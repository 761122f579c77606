/** Applies all rules to a change whose files are at hand: first the paths, then the contents. */
import type { Site } from '../site-generators/site-generator.ts'
import { overlapsFolder } from '../site-generators/site-paths.ts'
import { type ChangeRefusal, findChangeRefusals } from './allow-list/allow-list.ts'
import type { ContentRefusal } from './content-refusal.ts'
import {
  findSiteNavigation,
  type InspectionInput,
  type InspectionResult,
  isInspected,
  type TextFile,
} from './inspect-changes.ts'

export interface JudgedFile {
  path: string
  /** The mode in Git. Undefined: the file does not exist. */
  beforeMode: string | undefined
  afterMode: string | undefined
  /** Undefined: the file is too large, or not UTF-8. Only the files that are inspected are read. */
  readBefore(): string | undefined
  readAfter(): string | undefined
}

export interface JudgedChange {
  /** The sites of the repository before the change. */
  sites: readonly Site[]
  docsFolder: string
  files: readonly JudgedFile[]
  /** The pages of the repository before the change that are read for a change of these paths. */
  readBasePages(changedPaths: readonly string[]): readonly TextFile[]
}

const symbolicLinkMode = '120000'

/** Empty: the change would be accepted. `inspect` is the inspection, in this process or in another one. */
export async function judgeChange(
  { sites, docsFolder, files, readBasePages }: JudgedChange,
  inspect: (input: InspectionInput) => Promise<InspectionResult>,
): Promise<(ChangeRefusal | ContentRefusal)[]> {
  const ownSites = sites.filter(({ pagesFolder }) => overlapsFolder(pagesFolder, docsFolder))
  const pathRefusals = findChangeRefusals(
    files.map(({ path, beforeMode, afterMode }) => ({ path: Buffer.from(path), beforeMode, afterMode, newBytes: 0 })),
    [],
    { docsFolder, isSiteNavigation: (path) => findSiteNavigation(ownSites, path) !== undefined },
  )
  const inspected = files.filter(({ path, afterMode }) => isInspected(sites, path) && afterMode !== symbolicLinkMode)
  const { refusals } = await inspect({
    sites,
    changes: inspected
      .filter(({ afterMode }) => afterMode !== undefined)
      .map(({ path, beforeMode, readBefore, readAfter }) => ({
        path,
        before: beforeMode === undefined ? undefined : readBefore(),
        after: readAfter() ?? null,
      })),
    removed: inspected
      .filter(({ afterMode }) => afterMode === undefined)
      .map(({ path, readBefore }) => ({ path, text: readBefore() ?? '' })),
    basePages: readBasePages(inspected.map(({ path }) => path)),
  })
  return [...pathRefusals, ...refusals]
}
