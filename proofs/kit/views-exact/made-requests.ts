/** Random requests of a site, made from what they should be counted as. */
import { browsers, type CountedClient, type KnownClient, others } from './known-clients.ts'
import { assets, pick, type SitePage, spell, tooLongPage } from './site-pages.ts'
import { randomMoment, type TimeSpan, tooOldBefore } from './view-times.ts'

type Random = () => number
export type CountingSource = 'script' | 'servers'

export interface Site {
  pages: readonly SitePage[]
  humanSource: CountingSource
}

export interface MadeRequest {
  target: string
  userAgent: string
  accept: string
  method: string
  status: number
  prefetch: boolean
  /** Undefined: it says nothing, and counts for the moment of its receipt. */
  atMs: number | undefined
  outcome: Outcome
}

/** `receipt`: only the server knows the moment. */
export type Outcome =
  | { path: string; reader: CountedClient; at: number | 'receipt' }
  /** Why it does not count, in the words of the answer. */
  | { dropped: string }

/** What the source of a request can tell. */
export interface Telling {
  accept: boolean
  prefetch: boolean
  /** Of seconds, or of milliseconds. */
  unitMs: 1 | 1000
  /** An import takes views of any age. */
  takesOld: boolean
  /** Some come without a time, or with one that is yet to come. */
  receipts: boolean
}

const markdownAccepts = [
  'text/markdown',
  'text/html;q=0.5, text/markdown',
  'text/x-markdown;q=0.1,*/*',
  'TEXT/Markdown; charset=utf-8',
]
const otherAccepts = ['', '', '*/*', 'text/html,application/xhtml+xml;q=0.9', 'text/markdownish, application/markdown']
const otherMethods = ['HEAD', 'POST', 'OPTIONS', 'PUT', 'get']
const otherStatuses = [201, 204, 206, 301, 302, 307, 308, 400, 401, 403, 404, 410, 429, 500, 502, 503]
const yearMs = 365 * 24 * 3600 * 1000

export function makeRequest(site: Site, span: TimeSpan, telling: Telling, random: Random): MadeRequest {
  const made = makeCounted(site, span, telling, random)
  const fate = random()
  if (fate < 0.82) return made
  if (fate < 0.86) return { ...made, target: pick(assets, random), outcome: { dropped: 'not_a_page' } }
  if (fate < 0.89) return { ...made, method: pick(otherMethods, random), outcome: { dropped: 'not_get' } }
  if (fate < 0.94) return { ...made, status: pick(otherStatuses, random), outcome: { dropped: 'not_successful' } }
  if (fate < 0.96) return telling.prefetch ? { ...made, prefetch: true, outcome: { dropped: 'prefetch' } } : made
  if (fate < 0.962) return { ...made, target: tooLongPage, outcome: { dropped: 'path_too_long' } }
  const agoMs = Math.floor(random() ** 8 * 5 * yearMs) // many a millisecond too old
  const oldMs = tooOldBefore(span.nowMs) - 1 - agoMs
  if (telling.takesOld) return atMoment(made, Math.floor(oldMs / 1000) * 1000)
  return 'dropped' in made.outcome ? made : { ...made, atMs: oldMs, outcome: { dropped: 'too_old' } }
}

function atMoment(made: MadeRequest, atMs: number): MadeRequest {
  const { outcome } = made
  return { ...made, atMs, outcome: 'dropped' in outcome ? outcome : { ...outcome, at: atMs } }
}

function makeCounted(site: Site, span: TimeSpan, telling: Telling, random: Random): MadeRequest {
  const { target, accept, userAgent, path, reader } = makeReading(site, telling.accept, random)
  const seen = reader.class !== 'human' || site.humanSource === 'servers'
  const made = { target, userAgent, accept, method: 'GET', status: random() < 0.9 ? 200 : 304, prefetch: false }
  if (telling.receipts && random() < 0.2) {
    const atMs = random() < 0.5 ? undefined : span.nowMs + yearMs * (0.01 + random())
    return { ...made, atMs: atMs && Math.floor(atMs), outcome: outcomeOf(seen, { path, reader, at: 'receipt' }) }
  }
  const at = Math.floor(randomMoment(span, random) / telling.unitMs) * telling.unitMs
  return { ...made, atMs: at, outcome: outcomeOf(seen, { path, reader, at }) }
}

const outcomeOf = (seen: boolean, counted: Outcome): Outcome => (seen ? counted : { dropped: 'counted_elsewhere' })

export interface Reading {
  target: string
  accept: string
  userAgent: string
  path: string
  reader: CountedClient
}

/** Somebody reads some page, as whoever it is does. */
export function makeReading(site: Site, canTellAccept: boolean, random: Random): Reading {
  const who: KnownClient = random() < 0.5 ? pick(browsers, random) : pick(others, random)
  const page = pick(site.pages, () => random() ** 2) // some are read more than others
  const { target, isForModels } = spell(page, random() < 0.15, random)
  const acceptsMarkdown = canTellAccept && random() < 0.08
  const accept = canTellAccept ? pick(acceptsMarkdown ? markdownAccepts : otherAccepts, random) : ''
  const reader = acceptsMarkdown ? who.askingForMarkdown : isForModels ? who.readingForModels : who.usually
  return { target, accept, userAgent: who.userAgent, path: page.path, reader }
}
