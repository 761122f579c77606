/** The list of known clients, `server/data/ai-clients.json`: its schema, and the mistakes that a schema cannot find. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { clientClasses } from './client-class.ts'

const nullable = <const Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Line = Type.String({ minLength: 1, maxLength: 1_000, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })

const KnownClientSchema = Type.Object(
  {
    name: Line,
    operator: Line,
    class: Type.Enum(clientClasses.filter((name) => name !== 'human')),
    /** A substring of the user agent. ASCII. */
    match: Type.String({ minLength: 2, maxLength: 100, pattern: '^[ -~]+$' }),
    caseSensitive: Type.Boolean(),
    /** An HTTP library: what it requests shows what it is used for. */
    generic: Type.Optional(Type.Boolean()),
    exampleUserAgent: nullable(Line),
    ipRangesUrl: nullable(Line),
    sources: Type.Array(Line),
    note: Type.Optional(Line),
  },
  { additionalProperties: false },
)

const ClientListSchema = Type.Object(
  {
    version: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    note: Type.String(),
    clients: Type.Array(KnownClientSchema, { minItems: 1, maxItems: 5_000 }),
  },
  { additionalProperties: false },
)

export type ClientListEntry = Static<typeof KnownClientSchema>
export type ClientList = Static<typeof ClientListSchema>

/** The names of clients that are not in the list. */
export const unlistedClientNames = { browser: 'browser', unknown: 'unknown' } as const

export const clientListFile = join(import.meta.dirname, '../../../data/ai-clients.json')

export class ClientListError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`The client list has errors:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

const compiled = Compile(ClientListSchema)

export function parseClientList(text: string): ClientList {
  const list = parseJson(text)
  if (!compiled.Check(list)) {
    throw new ClientListError(
      [...compiled.Errors(list)].map(({ instancePath, message }) => `${instancePath}: ${message}`),
    )
  }
  const mistakes = findMistakes(list)
  if (mistakes.length > 0) throw new ClientListError(mistakes)
  return list
}

export const readClientList = (file = clientListFile): ClientList => parseClientList(readFileSync(file, 'utf8'))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ClientListError([`The file is not valid JSON: ${(error as Error).message}`])
  }
}

function findMistakes({ clients }: ClientList): string[] {
  const mistakes: string[] = []
  const names = new Set<string>(Object.values(unlistedClientNames))
  for (const [index, client] of clients.entries()) {
    if (names.has(client.name)) mistakes.push(`${client.name}: the name is already in use`)
    names.add(client.name)
    const shadow = clients.slice(0, index).find((earlier) => shadows(earlier, client))
    if (shadow)
      mistakes.push(
        `${client.name}: never matches, because the earlier entry ${shadow.name} matches everything that it matches`,
      )
    if (client.exampleUserAgent !== null && !matches(client, client.exampleUserAgent))
      mistakes.push(`${client.name}: does not match its own exampleUserAgent`)
  }
  return mistakes
}

/** Every user agent that `later` matches is also matched by `earlier`. */
function shadows(earlier: ClientListEntry, later: ClientListEntry): boolean {
  if (!earlier.caseSensitive) return later.match.toLowerCase().includes(earlier.match.toLowerCase())
  return later.caseSensitive && later.match.includes(earlier.match)
}

function matches({ match, caseSensitive }: ClientListEntry, userAgent: string): boolean {
  return caseSensitive ? userAgent.includes(match) : userAgent.toLowerCase().includes(match.toLowerCase())
}
