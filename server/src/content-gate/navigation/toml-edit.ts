/** Edits of TOML. The format has one meaning for all parsers, so values are compared and not bytes. */
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import type { NavigationFile } from '../../site-generators/site-generator.ts'
import { type EditOutcome, editProblem, type NavigationEdit, type NavigationStrings } from './edit-outcome.ts'

type Table = Record<string, unknown>

export function findTomlEditProblem({ before, after }: NavigationEdit, part: NavigationFile['part']): EditOutcome {
  const afterData = parseToml(after)
  if (!afterData) return editProblem('it is not valid TOML')
  if (part === 'whole')
    return {
      strings: {
        before: new Set(before === undefined ? [] : textsOf(parseToml(before))),
        after: listStrings(after, afterData),
      },
    }
  if (before === undefined) return editProblem('configuration must not be added')
  const beforeData = parseToml(before)
  if (!beforeData) return editProblem('the file was not valid before, so the change cannot be checked')
  const places = part.map(({ keys }) => ({ before: take(beforeData, keys), after: take(afterData, keys) }))
  if (
    !isDeepStrictEqual(beforeData, afterData) ||
    places.some((place) => (place.before === undefined) !== (place.after === undefined))
  )
    return editProblem(`only ${part.map(({ keys }) => `\`${keys.join('.')}\``).join(' and ')} may change in this file`)
  return {
    strings: {
      before: new Set(places.flatMap((place) => textsOf(place.before))),
      after: places.flatMap((place) => listStrings(after, place.after)),
    },
  }
}

function parseToml(source: string): Table | undefined {
  try {
    return parse(source) as Table
  } catch {
    return undefined
  }
}

/** Removes a value and returns it. */
function take(data: Table, keys: readonly string[]): unknown {
  const [key = '', ...others] = keys
  const value = data[key]
  if (others.length > 0) return typeof value === 'object' && value !== null ? take(value as Table, others) : undefined
  delete data[key]
  return value
}

const textsOf = (value: unknown): string[] => listStrings('', value).map(({ text }) => text)

function listStrings(source: string, value: unknown): NavigationStrings['after'][number][] {
  const item = (text: string, isKey: boolean) => ({ text, isKey, line: lineOf(source, text) })
  if (typeof value === 'string') return [item(value, false)]
  if (Array.isArray(value)) return value.flatMap((one) => listStrings(source, one))
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  return Object.entries(value).flatMap(([key, one]) => [item(key, true), ...listStrings(source, one)])
}

/** The first line that contains the text: positions are not known. */
const lineOf = (source: string, text: string): number => {
  const index = source.indexOf(text)
  return index < 0 ? 1 : source.slice(0, index).split('\n').length
}
