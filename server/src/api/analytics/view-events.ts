/**
 * What a server tells of the requests it answered. Checked by hand, as tens of thousands come in a second; a text may be of
 * any length, because one reader's absurd user agent must not cost the others their views.
 */
import Type, { type Static } from 'typebox'
import { Problem } from '../../platform/http/problem.ts'

const ViewEvent = Type.Object(
  {
    path: Type.String({ description: 'As the request line has it: encoded, with its query.' }),
    userAgent: Type.String({ description: "The reader's. Empty: it sent none." }),
    at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When; now unless given. What is more than 13 months old is dropped, what is yet to come was now: history comes by import.',
      }),
    ),
    method: Type.Optional(Type.String({ default: 'GET' })),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 999, default: 200 })),
    accept: Type.Optional(Type.String({ default: '', description: "The reader's `Accept`." })),
    prefetch: Type.Optional(
      Type.Boolean({ default: false, description: 'The browser fetched it in advance: `Sec-Purpose: prefetch`.' }),
    ),
  },
  { additionalProperties: false },
)

export const maxEvents = 10_000

export const ViewEvents = Type.Object(
  { views: Type.Array(ViewEvent, { maxItems: maxEvents }) },
  {
    additionalProperties: false,
    examples: [
      {
        views: [
          {
            path: '/docs/start',
            userAgent: 'ChatGPT-User/1.0',
            at: '2026-06-01T12:00:00.000Z',
          },
        ],
      },
    ],
  },
)

export type ViewEvents = Static<typeof ViewEvents>

export function readJsonEvents(bytes: Buffer): ViewEvents {
  refuseTooManyValues(bytes)
  const body = parse(decode(bytes), 'body')
  if (!isObject(body)) throw invalid('body', 'has to be an object')
  for (const name of Object.keys(body)) if (name !== 'views') throw invalid(`body/${name}`, 'is not known here')
  const { views } = body
  if (!Array.isArray(views)) throw invalid('body/views', 'has to be a list')
  if (views.length > maxEvents) throw tooMany()
  for (const [index, view] of views.entries()) checkEvent(view, `body/views/${index}`)
  return { views: views as ViewEvents['views'] }
}

/** One event a line. */
export function readNdjsonEvents(bytes: Buffer): ViewEvents {
  refuseTooManyValues(bytes) // a line can hold as many as a body
  const text = decode(bytes)
  const views: ViewEvents['views'] = []
  for (let begin = 0, line = 1; begin < text.length; line++) {
    const lineEnd = text.indexOf('\n', begin)
    const end = lineEnd === -1 ? text.length : lineEnd
    const event = text.slice(begin, end).trim()
    begin = end + 1
    if (event === '') continue
    if (views.length === maxEvents) throw tooMany()
    const view = parse(event, `body/line ${line}`)
    checkEvent(view, `body/line ${line}`)
    views.push(view)
  }
  return { views }
}

/** Undefined: there is no such time. */
export function timeOfEvent(at: string): Date | undefined {
  if (!dateTime.test(at) || !isOfCalendar(at)) return undefined
  const time = new Date(at.toUpperCase().replace(/:60(?=[.Z+-])/, ':59')) // of a leap second ECMAScript knows nothing
  return Number.isNaN(time.getTime()) ? undefined : time
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i

/** ECMAScript takes 30 February for 2 March. */
function isOfCalendar(at: string): boolean {
  const day = Number(at.slice(8, 10))
  return day <= 28 || new Date(`${at.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
}

type FindMistake = (value: unknown) => string | undefined

const text: FindMistake = (value) => {
  if (typeof value !== 'string') return 'has to be a text'
  return value.includes('\0') || !value.isWellFormed() ? 'has to be well-formed Unicode without NUL' : undefined
}
const mistakeIn: ReadonlyMap<string, FindMistake> = new Map<string, FindMistake>([
  ['path', text],
  ['userAgent', text],
  ['method', text],
  ['accept', text],
  ['at', (value) => (typeof value === 'string' && timeOfEvent(value) ? undefined : 'has to be an ISO 8601 date-time')],
  ['prefetch', (value) => (typeof value === 'boolean' ? undefined : 'has to be true or false')],
  [
    'status',
    (value) =>
      Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999
        ? undefined
        : 'has to be a status of HTTP',
  ],
])

function checkEvent(event: unknown, place: string): asserts event is ViewEvents['views'][number] {
  if (!isObject(event)) throw invalid(place, 'has to be an object')
  for (const name of Object.keys(event)) {
    const find = mistakeIn.get(name)
    const mistake = find ? find(event[name]) : 'is not known here'
    if (mistake !== undefined) throw invalid(`${place}/${name}`, mistake)
  }
  for (const name of ['path', 'userAgent']) {
    if (!Object.hasOwn(event, name)) throw invalid(`${place}/${name}`, 'is missing')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Problem('invalid_request', 'The body is not text in UTF-8.')
  }
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(place, 'is not valid JSON')
  }
}

const plentyOfValues = 1_000_000

/** 8 MiB of `[],[],…` would become a hundred times as much as they are worth. Events of ordinary length never have so many. */
function refuseTooManyValues(bytes: Buffer): void {
  if (bytes.length <= plentyOfValues) return
  let separators = 0
  for (const byte of bytes) if (byte === comma || byte === openBrace || byte === openBracket) separators++
  if (separators > plentyOfValues) throw invalid('body', 'has too many values')
}
const comma = ','.charCodeAt(0)
const openBrace = '{'.charCodeAt(0)
const openBracket = '['.charCodeAt(0)

function invalid(path: string, message: string): Problem {
  const at = path.length > 100 ? `${path.slice(0, 100).toWellFormed()}…` : path // an unknown field's name can be long
  return new Problem('invalid_request', `${at} ${message}.`, { errors: [{ path: at, message }] })
}

const tooMany = () => invalid('body/views', `are at most ${maxEvents} in a request: send the others in another`)
