/** What a result may change: pages, images and navigation in the docs folder, as plain files. All of it, or nothing. */
import type { GrownDirectory } from '../git/compare-trees.ts'
import { type ForbiddenPlace, forbiddenPlace, isDocsFile, isHiddenNavigation } from './docs-files.ts'
import { foldCase, type NameRefusal, refusalOfName } from './path-names.ts'

export type AllowPolicy = {
  /** Without slashes at its ends; empty: the whole repository. */
  docsFolder: string
  /** Paths outside the folder, or of another type, that a project lets its agent change: `mkdocs.yml`. */
  alsoAllowed: readonly string[]
}

export type CheckedChange = {
  path: Uint8Array
  beforeMode: string | undefined
  afterMode: string | undefined
  /** What the repository did not have before: 0 for a file that was only moved. */
  newBytes: number
}

export type ChangeRefusalCode =
  | NameRefusal
  | ForbiddenPlace
  | 'not_utf8'
  | 'path_too_long'
  | 'link'
  | 'submodule'
  | 'executable'
  | 'odd_mode'
  | 'outside_docs_folder'
  | 'hidden_file'
  | 'file_type'
  | 'case_collision'
  | 'too_large'
  | 'too_many_files'

/** `path` is made printable: it may be anything. */
export type ChangeRefusal = { code: ChangeRefusalCode; path: string }

export const maxChangedFiles = 500
export const maxNewBytes = 10 * 1024 * 1024
const maxPathBytes = 400
const maxNameBytes = 200
const plainFile = '100644'

/** None: all is allowed. */
export function refusalsOf(
  changes: readonly CheckedChange[],
  grown: readonly GrownDirectory[],
  policy: AllowPolicy,
): ChangeRefusal[] {
  if (changes.length > maxChangedFiles) return [{ code: 'too_many_files', path: '' }]
  const ofChanges = changes.flatMap((change) => {
    const code = refusalOf(change, policy)
    return code ? [{ code, path: printable(change.path) }] : []
  })
  const newBytes = changes.reduce((sum, change) => sum + change.newBytes, 0)
  const ofSize: ChangeRefusal[] = newBytes > maxNewBytes ? [{ code: 'too_large', path: '' }] : []
  return [...ofChanges, ...ofSize, ...grown.flatMap(collisionsIn)]
}

function refusalOf(change: CheckedChange, policy: AllowPolicy): ChangeRefusalCode | undefined {
  const path = asUtf8(change.path)
  if (path === undefined) return 'not_utf8'
  const components = path.split('/')
  // What is there already may have any name: it can be edited or removed, but nothing like it added.
  const isNew = change.beforeMode === undefined
  if (isNew && (change.path.length > maxPathBytes || components.some(isLongName))) return 'path_too_long'
  return (
    first(components, (component) => (isNew ? refusalOfName(component) : undefined)) ??
    refusalOfMode(change.afterMode) ??
    refusalOfMode(change.beforeMode) ??
    first(components, forbiddenPlace) ??
    refusalOfPlace(path, components, policy)
  )
}

function refusalOfMode(mode: string | undefined): ChangeRefusalCode | undefined {
  switch (mode) {
    case undefined:
    case plainFile:
      return undefined
    case '100755':
      return 'executable'
    case '120000':
      return 'link'
    case '160000':
      return 'submodule'
    default:
      return 'odd_mode'
  }
}

function refusalOfPlace(path: string, components: readonly string[], policy: AllowPolicy) {
  if (policy.alsoAllowed.includes(path)) return undefined
  const { docsFolder } = policy
  if (docsFolder !== '' && !path.startsWith(`${docsFolder}/`)) return 'outside_docs_folder'
  const name = components.at(-1) ?? ''
  const below = path.slice(docsFolder === '' ? 0 : docsFolder.length + 1).split('/')
  if (below.some((component) => component.startsWith('.') && !(component === name && isHiddenNavigation(name)))) {
    return 'hidden_file'
  }
  return isDocsFile(name) ? undefined : 'file_type'
}

/** A new name beside one that differs from it in case or in the form of its letters: on many machines one file. */
function collisionsIn({ path, names, added }: GrownDirectory): ChangeRefusal[] {
  const counts = new Map<string, number>()
  const fold = (name: Buffer) => foldCase(asUtf8(name) ?? name.toString('latin1'))
  for (const name of names) counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1)
  return added
    .filter((name) => (counts.get(fold(name)) ?? 0) > 1)
    .map((name) => ({
      code: 'case_collision',
      path: printable(path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name])),
    }))
}

function first<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const isLongName = (component: string) => Buffer.byteLength(component) > maxNameBytes

function asUtf8(path: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(path)
  } catch {
    return undefined
  }
}

/** For messages and logs: a path may hold anything, also what steers a terminal. */
export function printable(path: Uint8Array): string {
  const text = Buffer.from(path.subarray(0, 300)).toString('utf8')
  return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\\]/gu, (character) =>
    character === ' ' ? ' ' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
