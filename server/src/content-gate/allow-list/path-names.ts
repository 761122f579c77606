/** File names that mean something else on another file system, or that look like another name to a person. */

export type UnsafeNameCode =
  | 'path_traversal'
  | 'dot_git'
  | 'control_character'
  | 'unsafe_unicode'
  | 'not_normalized'
  | 'reserved_name'
  | 'unsafe_character'

/**
 * How HFS+ and NTFS interpret a name when they look up `.git`: without ignorable characters, case-insensitive, without the
 * trailing characters that NTFS drops, and without a stream name after a colon. Git itself protects `.git` in the same way.
 */
export function canonicalizeName(component: string): string {
  return foldCase(component.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
}

/** Two names that fold to the same string are one file on Windows and macOS. */
export function foldCase(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

const dotGit = /^(\.git|git~\d+)$/
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i
// Characters that Windows does not allow in names, and characters that are special in a shell: CI scripts loop over changed
// files.
const unsafeCharacter = /[<>:"|?*\\$`;&']/

/** Checks one component of a path. Returns the first reason found; undefined: the name is safe on every file system. */
export function findUnsafeNameCode(component: string): UnsafeNameCode | undefined {
  if (component === '' || component === '.' || component === '..') return 'path_traversal'
  if (dotGit.test(canonicalizeName(component))) return 'dot_git'
  if (/\p{Cc}/u.test(component)) return 'control_character'
  if (hasUnsafeUnicode(component)) return 'unsafe_unicode'
  if (component !== component.normalize('NFC')) return 'not_normalized'
  if (device.test(component)) return 'reserved_name'
  if (unsafeCharacter.test(component) || /^[ -]|[. ]$/.test(component)) return 'unsafe_character'
  return undefined
}

/** Invisible, bidirectional, unassigned or private-use characters, unusual spaces, and lookalikes of `/`, `.` and similar. */
function hasUnsafeUnicode(component: string): boolean {
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]|(?! )\p{Zs}/u.test(component)) return true
  return [...component].some((character) => {
    const compatible = character.normalize('NFKC')
    return compatible !== character && /[\p{Cc}\s/\\.:~<>|"?*]/u.test(compatible)
  })
}
