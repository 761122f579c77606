/** Applies all rules to a change whose files are at hand: first the paths, then the contents. */
import type { Site } from '../site-generators/site-generator.ts'
import { type ChangeRefusal, findChangeRefusals } from './allow-list/allow-list.ts'
import type { ChangeRules } from './change-rules.ts'
import type { ContentRefusal } from './content-refusal.ts'
import {
  type InspectionInput,
  type InspectionResult,
  isInspected,
  isNavigationOfDocs,
  isSkippedBinary,
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
  /** Undefined: the file does not exist any more. */
  readBytesAfter?(): Uint8Array | undefined
}

export interface JudgedChange {
  /** The sites of the repository before the change. */
  sites: readonly Site[]
  rules: ChangeRules
  files: readonly JudgedFile[]
  /** The pages of the repository before the change that are read for a change of these paths. */
  readBasePages(changedPaths: readonly string[]): readonly TextFile[]
}

const symbolicLinkMode = '120000'

/** Empty: the change would be accepted. `inspect` is the inspection, in this process or in another one. */
export async function judgeChange(
  { sites, rules, files, readBasePages }: JudgedChange,
  inspect: (input: InspectionInput) => Promise<InspectionResult>,
): Promise<(ChangeRefusal | ContentRefusal)[]> {
  const { docsFolders, allowedPaths } = rules
  const pathRefusals = findChangeRefusals(
    files.map(({ path, beforeMode, afterMode }) => ({ path: Buffer.from(path), beforeMode, afterMode, newBytes: 0 })),
    [],
    { docsFolders, allowedPaths, isSiteNavigation: (path) => isNavigationOfDocs(sites, docsFolders, path) },
  )
  const inspected = files.filter(
    ({ path, afterMode }) => isInspected(sites, allowedPaths, path) && afterMode !== symbolicLinkMode,
  )
  const { refusals } = await inspect({
    sites,
    allowedPaths,
    changes: inspected
      .filter(({ afterMode }) => afterMode !== undefined)
      .filter(({ path, readBytesAfter }) => !isSkippedBinary(sites, path, readBytesAfter?.() ?? new Uint8Array()))
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
