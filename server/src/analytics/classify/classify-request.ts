/** Classifies one request to a site: a page view with its client, or the reason why it is not counted. Pure. */

import type { ClientDetector, DetectedClient } from './client-detector.ts'
import type { DropReason } from './drop-reason.ts'
import { parsePagePath, type RequestedPageFormat } from './page-path.ts'
import { reduceUserAgent } from './reduce-user-agent.ts'

/** What reported the request: the script in the browser, or the site's servers and their logs. */
export type CountingSource = 'script' | 'servers'

export interface SiteRequest {
  userAgent: string
  method: string
  status: number
  /** As in the request line: percent-encoded, with its query. */
  path: string
  accept: string
  /** The browser fetched the page in advance (`Sec-Purpose: prefetch`). It may never have been displayed. */
  prefetch: boolean
  source: CountingSource
}

export interface ClassifiedView extends Omit<DetectedClient, 'name'> {
  counted: true
  /** The client's name. */
  client: string
  path: string
  surface: RequestedPageFormat
  /** Reduced. Together with the other fields, everything that the rule needs to classify the view again. */
  userAgent: string
  acceptsMarkdown: boolean
}

export type Classification = ClassifiedView | { counted: false; reason: DropReason }

const maxUserAgentCharacters = 1_000
const maxAcceptCharacters = 2_000

/** Humans are counted by the source that the project chose, all other clients by servers. Nothing is counted twice. */
export function classifyRequest(
  request: SiteRequest,
  { clientDetector, humanSource }: { clientDetector: ClientDetector; humanSource: CountingSource },
): Classification {
  if (request.method !== 'GET') return dropped('not_get')
  if (request.status !== 200 && request.status !== 304) return dropped('not_successful')
  if (request.prefetch) return dropped('prefetch')
  const page = parsePagePath(request.path)
  if (typeof page === 'string') return dropped(page)

  const userAgent = request.userAgent.slice(0, maxUserAgentCharacters).toWellFormed()
  const acceptsMarkdown = markdownType.test(request.accept.slice(0, maxAcceptCharacters))
  const { path, surface } = page
  const { name, ...detected } = clientDetector.detect({ userAgent, acceptsMarkdown, surface })
  const countedBy = detected.class === 'human' ? humanSource : 'servers'
  if (request.source !== countedBy) return dropped('counted_elsewhere')
  const reduced = reduceUserAgent(userAgent, detected.class)
  return { counted: true, ...detected, client: name, path, surface, userAgent: reduced, acceptsMarkdown }
}

const markdownType = /(?:^|,)\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i

const dropped = (reason: DropReason): Classification => ({ counted: false, reason })
