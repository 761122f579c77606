/**
 * The requests that a server reports. They are validated by hand, because tens of thousands arrive per second. Strings can
 * have any length: one client's oversized user agent must not make the views of the others fail.
 */
import Type, { type Static } from 'typebox'
import { Problem } from '../../platform/http/problem.ts'

const ViewEvent = Type.Object(
  {
    path: Type.String({
      description: 'Target of the request line: percent-encoded, with its query.',
      examples: ['/docs/install?lang=en'],
    }),
    userAgent: Type.String({
      description: 'User-Agent header of the request. Empty if there was none.',
      examples: ['ChatGPT-User/1.0'],
    }),
    at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Time of the request. Defaults to now. A time in the future counts as now. Requests that are more than 13 months old are dropped; import older logs with `colophon-server import-logs`.',
        examples: ['2026-01-31T12:00:00.000Z'],
      }),
    ),
    method: Type.Optional(Type.String({ default: 'GET', description: 'HTTP method of the request.' })),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 999, default: 200, description: 'HTTP status of the response.' }),
    ),
    accept: Type.Optional(
      Type.String({ default: '', description: 'Accept header of the request. Empty if there was none.' }),
    ),
    prefetch: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the browser fetched the page in advance, with the header `Sec-Purpose: prefetch`.',
      }),
    ),
  },
  { additionalProperties: false },
)

const viewEventExample = { path: '/docs/start', userAgent: 'ChatGPT-User/1.0', at: '2026-06-01T12:00:00.000Z' }

export const maxViewEventsPerRequest = 10_000

export const ViewEvents = Type.Object(
  { views: Type.Array(ViewEvent, { maxItems: maxViewEventsPerRequest, description: 'The requests to report.' }) },
  {
    additionalProperties: false,
    examples: [{ views: [viewEventExample] }],
  },
)

export const ndjsonExample = `${JSON.stringify(viewEventExample)}\n`

export type ViewEvents = Static<typeof ViewEvents>

export function parseJsonEvents(bytes: Buffer): ViewEvents {
  assertFewValues(bytes)
  const body = parse(decode(bytes), 'body')
  if (!isObject(body)) throw invalid('body', 'must be an object')
  for (const name of Object.keys(body)) if (name !== 'views') throw invalid(`body/${name}`, 'is not a known field')
  const { views } = body
  if (!Array.isArray(views)) throw invalid('body/views', 'must be an array')
  if (views.length > maxViewEventsPerRequest) throw tooMany()
  for (const [index, view] of views.entries()) assertEvent(view, `body/views/${index}`)
  return { views: views as ViewEvents['views'] }
}

/** One event per line. */
export function parseNdjsonEvents(bytes: Buffer): ViewEvents {
  assertFewValues(bytes) // one line can hold as many values as the whole body
  const text = decode(bytes)
  const views: ViewEvents['views'] = []
  for (let begin = 0, line = 1; begin < text.length; line++) {
    const lineEnd = text.indexOf('\n', begin)
    const end = lineEnd === -1 ? text.length : lineEnd
    const event = text.slice(begin, end).trim()
    begin = end + 1
    if (event === '') continue
    if (views.length === maxViewEventsPerRequest) throw tooMany()
    const view = parse(event, `body/line ${line}`)
    assertEvent(view, `body/line ${line}`)
    views.push(view)
  }
  return { views }
}

/** Undefined if the text is not a valid date-time. */
export function parseEventTime(at: string): Date | undefined {
  if (!dateTime.test(at) || !dateExists(at)) return undefined
  const time = new Date(at.toUpperCase().replace(/:60(?=[.Z+-])/, ':59')) // ECMAScript does not support leap seconds
  return Number.isNaN(time.getTime()) ? undefined : time
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i

/** ECMAScript reads 30 February as 2 March. */
function dateExists(at: string): boolean {
  const day = Number(at.slice(8, 10))
  return day <= 28 || new Date(`${at.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
}

type Validate = (value: unknown) => string | undefined

const text: Validate = (value) => {
  if (typeof value !== 'string') return 'must be a string'
  return value.includes('\0') || !value.isWellFormed() ? 'must be well-formed Unicode without NUL' : undefined
}
const validators: ReadonlyMap<string, Validate> = new Map<string, Validate>([
  ['path', text],
  ['userAgent', text],
  ['method', text],
  ['accept', text],
  ['at', (value) => (typeof value === 'string' && parseEventTime(value) ? undefined : 'must be an ISO 8601 date-time')],
  ['prefetch', (value) => (typeof value === 'boolean' ? undefined : 'must be a boolean')],
  [
    'status',
    (value) =>
      Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999 ? undefined : 'must be an HTTP status',
  ],
])

function assertEvent(event: unknown, path: string): asserts event is ViewEvents['views'][number] {
  if (!isObject(event)) throw invalid(path, 'must be an object')
  for (const name of Object.keys(event)) {
    const validate = validators.get(name)
    const error = validate ? validate(event[name]) : 'is not a known field'
    if (error !== undefined) throw invalid(`${path}/${name}`, error)
  }
  for (const name of ['path', 'userAgent']) {
    if (!Object.hasOwn(event, name)) throw invalid(`${path}/${name}`, 'is missing')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Problem('invalid_request', 'The body is not valid UTF-8.')
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(path, 'is not valid JSON')
  }
}

const maxValues = 1_000_000

/** 8 MiB of `[],[],…` would take a hundred times as much memory when parsed. Ordinary events never have that many values. */
function assertFewValues(bytes: Buffer): void {
  if (bytes.length <= maxValues) return
  let separators = 0
  for (const byte of bytes) if (byte === comma || byte === openBrace || byte === openBracket) separators++
  if (separators > maxValues) throw invalid('body', 'has too many values')
}
const comma = ','.charCodeAt(0)
const openBrace = '{'.charCodeAt(0)
const openBracket = '['.charCodeAt(0)

function invalid(path: string, message: string): Problem {
  const shownPath = path.length > 100 ? `${path.slice(0, 100).toWellFormed()}…` : path // the name of an unknown field can be long
  return new Problem('invalid_request', `${shownPath} ${message}.`, { errors: [{ path: shownPath, message }] })
}

const tooMany = () =>
  invalid('body/views', `must have at most ${maxViewEventsPerRequest} items: split them into several requests`)
