/** The lines of each file that have to be approved. A file that has to be approved as a whole has none. */
export function groupByPath(
  reasons: readonly { path: string; line: number | null }[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const lines = new Map<string, Set<number>>()
  for (const { path, line } of reasons) {
    const ofFile = lines.get(path) ?? new Set()
    if (line !== null) ofFile.add(line)
    lines.set(path, ofFile)
  }
  return lines
}
