/** Names that mean another thing on another file system, or look like another name to a person. */

export type NameRefusal =
  | 'path_traversal'
  | 'dot_git'
  | 'control_character'
  | 'odd_unicode'
  | 'not_normalised'
  | 'reserved_name'
  | 'odd_character'

/**
 * As HFS+ and NTFS read a name when they look for `.git`: without ignorable characters, in any case, without what NTFS
 * drops at the end, and without a stream's name behind a colon. Git itself guards `.git` in the same way.
 */
export function asFileSystemsRead(component: string): string {
  return foldCase(component.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
}

/** Two names that fold to the same are one file on Windows and macOS. */
export function foldCase(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

const dotGit = /^(\.git|git~\d+)$/
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i
// What Windows cannot have in a name, and what a shell takes for more than a name: scripts in CI loop over changed files.
const oddInPath = /[<>:"|?*\\$`;&']/

/** One component of a path. The first reason found; undefined: a plain name everywhere. */
export function refusalOfName(component: string): NameRefusal | undefined {
  if (component === '' || component === '.' || component === '..') return 'path_traversal'
  if (dotGit.test(asFileSystemsRead(component))) return 'dot_git'
  if (/\p{Cc}/u.test(component)) return 'control_character'
  if (isOddUnicode(component)) return 'odd_unicode'
  if (component !== component.normalize('NFC')) return 'not_normalised'
  if (device.test(component)) return 'reserved_name'
  if (oddInPath.test(component) || /^[ -]|[. ]$/.test(component)) return 'odd_character'
  return undefined
}

/** Unseen, turning the line around, unassigned or private, a space that is none, or a stand-in for `/`, `.` and the like. */
function isOddUnicode(component: string): boolean {
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]|(?! )\p{Zs}/u.test(component)) return true
  return [...component].some((character) => {
    const compatible = character.normalize('NFKC')
    return compatible !== character && /[\p{Cc}\s/\\.:~<>|"?*]/u.test(compatible)
  })
}
