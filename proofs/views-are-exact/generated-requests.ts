/** Random requests to a site, generated from what they should be counted as. */
import { browsers, type CountedClient, type KnownClient, otherKnownClients } from './known-clients.ts'
import { assets, pick, type SitePage, spellPageUrl, tooLongPage } from './site-pages.ts'
import { oldestAcceptedMs, type ReportableTimeSpan, randomTime } from './view-times.ts'

type Random = () => number
export type HumanSource = 'script' | 'servers'

export interface GeneratedSite {
  pages: readonly SitePage[]
  humanSource: HumanSource
}

export interface GeneratedRequest {
  target: string
  userAgent: string
  accept: string
  method: string
  status: number
  prefetch: boolean
  /** Undefined: the request has no time and counts at its receipt. */
  atMs: number | undefined
  outcome: ExpectedRequestOutcome
}

/** `receipt`: only the server knows the time. */
export type ExpectedRequestOutcome =
  | { path: string; client: CountedClient; at: number | 'receipt' }
  /** The drop reason in the response. */
  | { dropped: string }

/** What a source can report about a request. */
export interface SourceCapabilities {
  accept: boolean
  prefetch: boolean
  /** Resolution of times. */
  unitMs: 1 | 1000
  /** An import accepts views of any age. */
  acceptsOld: boolean
  /** Some requests have no time, or one in the future. */
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

export function generateRequest(
  site: GeneratedSite,
  span: ReportableTimeSpan,
  capabilities: SourceCapabilities,
  random: Random,
): GeneratedRequest {
  const request = generateCountable(site, span, capabilities, random)
  const choice = random()
  if (choice < 0.82) return request
  if (choice < 0.86) return { ...request, target: pick(assets, random), outcome: { dropped: 'not_a_page' } }
  if (choice < 0.89) return { ...request, method: pick(otherMethods, random), outcome: { dropped: 'not_get' } }
  if (choice < 0.94) return { ...request, status: pick(otherStatuses, random), outcome: { dropped: 'not_successful' } }
  if (choice < 0.96)
    return capabilities.prefetch ? { ...request, prefetch: true, outcome: { dropped: 'prefetch' } } : request
  if (choice < 0.962) return { ...request, target: tooLongPage, outcome: { dropped: 'path_too_long' } }
  const agoMs = Math.floor(random() ** 8 * 5 * yearMs) // many are only slightly too old
  const oldMs = oldestAcceptedMs(span.nowMs) - 1 - agoMs
  if (capabilities.acceptsOld) return withTime(request, Math.floor(oldMs / 1000) * 1000)
  return 'dropped' in request.outcome ? request : { ...request, atMs: oldMs, outcome: { dropped: 'too_old' } }
}

function withTime(request: GeneratedRequest, atMs: number): GeneratedRequest {
  const { outcome } = request
  return { ...request, atMs, outcome: 'dropped' in outcome ? outcome : { ...outcome, at: atMs } }
}

function generateCountable(
  site: GeneratedSite,
  span: ReportableTimeSpan,
  capabilities: SourceCapabilities,
  random: Random,
): GeneratedRequest {
  const { target, accept, userAgent, path, client } = generatePageRequest(site, capabilities.accept, random)
  const isReported = client.class !== 'human' || site.humanSource === 'servers'
  const request = { target, userAgent, accept, method: 'GET', status: random() < 0.9 ? 200 : 304, prefetch: false }
  if (capabilities.receipts && random() < 0.2) {
    const atMs = random() < 0.5 ? undefined : span.nowMs + yearMs * (0.01 + random())
    return {
      ...request,
      atMs: atMs && Math.floor(atMs),
      outcome: outcomeOf(isReported, { path, client, at: 'receipt' }),
    }
  }
  const at = Math.floor(randomTime(span, random) / capabilities.unitMs) * capabilities.unitMs
  return { ...request, atMs: at, outcome: outcomeOf(isReported, { path, client, at }) }
}

const outcomeOf = (isReported: boolean, counted: ExpectedRequestOutcome): ExpectedRequestOutcome =>
  isReported ? counted : { dropped: 'counted_elsewhere' }

export interface PageRequest {
  target: string
  accept: string
  userAgent: string
  path: string
  client: CountedClient
}

/** A random client requests a random page. */
export function generatePageRequest(site: GeneratedSite, reportsAccept: boolean, random: Random): PageRequest {
  const knownClient: KnownClient = random() < 0.5 ? pick(browsers, random) : pick(otherKnownClients, random)
  const page = pick(site.pages, () => random() ** 2) // some pages are requested more often
  const { target, isForModels } = spellPageUrl(page, random() < 0.15, random)
  const acceptsMarkdown = reportsAccept && random() < 0.08
  const accept = reportsAccept ? pick(acceptsMarkdown ? markdownAccepts : otherAccepts, random) : ''
  const client = acceptsMarkdown
    ? knownClient.acceptingMarkdown
    : isForModels
      ? knownClient.onModelPages
      : knownClient.byDefault
  return { target, accept, userAgent: knownClient.userAgent, path: page.path, client }
}
