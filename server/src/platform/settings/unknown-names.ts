import type { EnvironmentVariables } from './environment-reader.ts'
import { listSettings } from './setting.ts'
import { settings } from './settings.ts'

/**
 * Includes the settings of other processes, so that all can share one file of settings. A name that no process knows is
 * treated as a typo.
 */
const all = listSettings(settings)
const knownNames = new Set(all.flatMap(({ name, kind }) => (kind.file ? [name, `${name}_FILE`] : [name])))

export function describeUnknownNames(environment: EnvironmentVariables): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('COLOPHON_') && !knownNames.has(name))
    .map((name) => `${name} is not a known setting${suggestion(name)}`)
}

function suggestion(name: string): string {
  const [closest] = all
    .map((known) => ({ name: known.name, distance: levenshteinDistance(name, known.name) }))
    .sort((a, b) => a.distance - b.distance)
  return closest && closest.distance <= 5 ? `; did you mean ${closest.name}?` : ''
}

function levenshteinDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, target] of [...to].entries()) {
      const left = next[column] ?? 0
      const above = row[column + 1] ?? 0
      const diagonal = row[column] ?? 0
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === target ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
