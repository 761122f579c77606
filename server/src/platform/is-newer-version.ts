/** Compares versions like 0.10.2 by their numbers. */
export function isNewerVersion(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map((text) => text.split('.').map(Number))
  for (const [index, number] of (numbers ?? []).entries()) {
    const other = others?.[index] ?? 0
    if (number !== other) return number > other
  }
  return false
}
