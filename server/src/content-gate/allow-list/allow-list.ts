/**
 * Which files a result may change: pages and images in the docs folders, the navigation of the site, and further paths that the
 * project allows, as plain files. A result is accepted or refused as a whole.
 */
import { pathInFolder } from '../../site-generators/site-paths.ts'
import { decodeUtf8 } from '../decode-utf8.ts'
import { isAllowedPath } from './allowed-paths.ts'
import { findProtectedFileKind, isDocsFile, isHiddenDocsFile, type ProtectedFileKind } from './docs-files.ts'
import { findUnsafeNameCode, foldCase, type UnsafeNameCode } from './path-names.ts'

export type AllowListPolicy = {
  /** Without a leading or trailing slash. An empty one is the whole repository. */
  docsFolders: readonly string[]
  /** Further files of any type, and folders, which end with a slash. */
  allowedPaths: readonly string[]
  /** Navigation of the site's generator may be outside of the docs folder. Which part of such a file may change is checked later. */
  isSiteNavigation(path: string): boolean
}

export type ChangeToCheck = {
  path: Uint8Array
  beforeMode: string | undefined
  afterMode: string | undefined
  /** The size of content that the repository did not contain before: 0 for a file that was only moved. */
  newBytes: number
}

export type ChangeRefusalCode =
  | UnsafeNameCode
  | ProtectedFileKind
  | 'not_utf8'
  | 'path_too_long'
  | 'symlink'
  | 'submodule'
  | 'executable'
  | 'unsupported_mode'
  | 'outside_docs_folder'
  | 'hidden_file'
  | 'unsupported_file_type'
  | 'case_collision'
  | 'changes_too_large'
  | 'too_many_files'

/** A directory with new entries. Whether a new name is safe depends on the other names in the directory. */
export type DirectoryWithAdditions = { path: Buffer; names: readonly Buffer[]; added: readonly Buffer[] }

/** `path` is made printable, because a path may contain any bytes. Empty: the refusal concerns the whole result. */
export type ChangeRefusal = { code: ChangeRefusalCode; path: string }

export const maxChangedFiles = 500
export const maxNewBytes = 10 * 1024 * 1024
const maxPathBytes = 400
const maxNameBytes = 200
const regularFileMode = '100644'

/** An empty list: everything is allowed. */
export function findChangeRefusals(
  changes: readonly ChangeToCheck[],
  grown: readonly DirectoryWithAdditions[],
  policy: AllowListPolicy,
): ChangeRefusal[] {
  if (changes.length > maxChangedFiles) return [{ code: 'too_many_files', path: '' }]
  const changeRefusals = changes.flatMap((change) => {
    const code = refusalOf(change, policy)
    return code ? [{ code, path: escapePathForDisplay(change.path) }] : []
  })
  const newBytes = changes.reduce((sum, change) => sum + change.newBytes, 0)
  const sizeRefusals: ChangeRefusal[] = newBytes > maxNewBytes ? [{ code: 'changes_too_large', path: '' }] : []
  return [...changeRefusals, ...sizeRefusals, ...grown.flatMap(collisionsIn)]
}

function refusalOf(change: ChangeToCheck, policy: AllowListPolicy): ChangeRefusalCode | undefined {
  const path = decodeUtf8(change.path)
  if (path === undefined) return 'not_utf8'
  const components = path.split('/')
  // Existing files may have any name: they can be edited or removed, but no new file may have such a name.
  const isNew = change.beforeMode === undefined
  if (isNew && (change.path.length > maxPathBytes || components.some(isTooLong))) return 'path_too_long'
  return (
    first(components, (component) => (isNew ? findUnsafeNameCode(component) : undefined)) ??
    refusalOfMode(change.afterMode) ??
    refusalOfMode(change.beforeMode) ??
    findProtectedFileKind(path) ??
    refusalOfLocation(path, policy)
  )
}

function refusalOfMode(mode: string | undefined): ChangeRefusalCode | undefined {
  switch (mode) {
    case undefined:
    case regularFileMode:
      return undefined
    case '100755':
      return 'executable'
    case '120000':
      return 'symlink'
    case '160000':
      return 'submodule'
    default:
      return 'unsupported_mode'
  }
}

function refusalOfLocation(
  path: string,
  { docsFolders, allowedPaths, isSiteNavigation }: AllowListPolicy,
): ChangeRefusalCode | undefined {
  if (isSiteNavigation(path) || isAllowedPath(path, allowedPaths)) return undefined
  const pathsInFolders = docsFolders.flatMap((folder) => pathInFolder(path, folder) ?? [])
  if (pathsInFolders.length === 0) return 'outside_docs_folder'
  // A docs folder may be in another one. The file has to be allowed in one of them.
  const codes = pathsInFolders.map(refusalInFolder)
  return codes.includes(undefined) ? undefined : codes[0]
}

function refusalInFolder(pathInDocsFolder: string): ChangeRefusalCode | undefined {
  const components = pathInDocsFolder.split('/')
  const name = components.at(-1) ?? ''
  const isHidden = (component: string) => component.startsWith('.') && !(component === name && isHiddenDocsFile(name))
  if (components.some(isHidden)) return 'hidden_file'
  return isDocsFile(name) ? undefined : 'unsupported_file_type'
}

/** A new name that differs from another in the directory only in case or Unicode form: one file on many machines. */
function collisionsIn({ path, names, added }: DirectoryWithAdditions): ChangeRefusal[] {
  const counts = new Map<string, number>()
  const fold = (name: Buffer) => foldCase(decodeUtf8(name) ?? name.toString('latin1'))
  for (const name of names) counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1)
  return added
    .filter((name) => (counts.get(fold(name)) ?? 0) > 1)
    .map((name) => ({
      code: 'case_collision',
      path: escapePathForDisplay(path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name])),
    }))
}

function first<Item, Result>(items: readonly Item[], map: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const result = map(item)
    if (result !== undefined) return result
  }
  return undefined
}

const isTooLong = (component: string) => Buffer.byteLength(component) > maxNameBytes

/** For messages and logs: a path may contain any bytes, including terminal control sequences. */
export function escapePathForDisplay(path: Uint8Array): string {
  const text = Buffer.from(path.subarray(0, 300)).toString('utf8')
  return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\\]/gu, (character) =>
    character === ' ' ? ' ' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
