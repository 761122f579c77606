/** The list of known readers, `server/data/ai-readers.json`: its form, and what a list must not say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { readerClasses } from './reader-class.ts'

const nullable = <const Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Line = Type.String({ minLength: 1, maxLength: 1_000, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })

const KnownReader = Type.Object(
  {
    name: Line,
    operator: Line,
    class: Type.Enum(readerClasses.filter((name) => name !== 'human')),
    /** Looked for anywhere in the user agent. ASCII. */
    match: Type.String({ minLength: 2, maxLength: 100, pattern: '^[ -~]+$' }),
    caseSensitive: Type.Boolean(),
    /** An HTTP library: what it was used for is told by what it asks for. */
    generic: Type.Optional(Type.Boolean()),
    exampleUserAgent: nullable(Line),
    ipRangesUrl: nullable(Line),
    sources: Type.Array(Line),
    note: Type.Optional(Line),
  },
  { additionalProperties: false },
)

const ReaderListSchema = Type.Object(
  {
    version: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    note: Type.String(),
    agents: Type.Array(KnownReader, { minItems: 1, maxItems: 5_000 }),
  },
  { additionalProperties: false },
)

export type KnownReader = Static<typeof KnownReader>
export type ReaderList = Static<typeof ReaderListSchema>

/** The names that readers have who are not in the list. */
export const unlisted = { browser: 'browser', unknown: 'unknown' } as const

export const readerListFile = join(import.meta.dirname, '../../../data/ai-readers.json')

export class ReaderListError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`The list of readers has mistakes:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

const compiled = Compile(ReaderListSchema)

export function parseReaderList(text: string): ReaderList {
  const list = parseJson(text)
  if (!compiled.Check(list)) {
    throw new ReaderListError(
      [...compiled.Errors(list)].map(({ instancePath, message }) => `${instancePath}: ${message}`),
    )
  }
  const mistakes = mistakesOf(list)
  if (mistakes.length > 0) throw new ReaderListError(mistakes)
  return list
}

export const readReaderList = (file = readerListFile): ReaderList => parseReaderList(readFileSync(file, 'utf8'))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ReaderListError([`It is not JSON: ${(error as Error).message}`])
  }
}

function mistakesOf({ agents }: ReaderList): string[] {
  const mistakes: string[] = []
  const names = new Set<string>(Object.values(unlisted))
  for (const [index, reader] of agents.entries()) {
    if (names.has(reader.name)) mistakes.push(`${reader.name}: the name is taken`)
    names.add(reader.name)
    const shadow = agents.slice(0, index).find((earlier) => occursIn(earlier, reader))
    if (shadow) mistakes.push(`${reader.name}: never decides, because ${shadow.name} before it matches all it matches`)
    if (reader.exampleUserAgent !== null && !matches(reader, reader.exampleUserAgent))
      mistakes.push(`${reader.name}: does not match its own example`)
  }
  return mistakes
}

/** Whatever `later` matches, `earlier` matches too. */
function occursIn(earlier: KnownReader, later: KnownReader): boolean {
  if (!earlier.caseSensitive) return later.match.toLowerCase().includes(earlier.match.toLowerCase())
  return later.caseSensitive && later.match.includes(earlier.match)
}

function matches({ match, caseSensitive }: KnownReader, userAgent: string): boolean {
  return caseSensitive ? userAgent.includes(match) : userAgent.toLowerCase().includes(match.toLowerCase())
}
