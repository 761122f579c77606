/** Git's own rules for branch names, plus a length that is safe for file systems and URLs. */
export function isBranchName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > 200 || name === '@' || name === 'HEAD') return false
  if (/[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|\/\/|^[/-]|[/.]$/u.test(name)) return false
  return name.split('/').every((component) => !component.startsWith('.') && !component.endsWith('.lock'))
}
