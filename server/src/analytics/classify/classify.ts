/** One request of a site in; a view with its reader out, or the reason why it is none. Pure. */

import type { ClientDetector, DetectedClient } from './client-detector.ts'
import type { DropReason } from './drop-reason.ts'
import { readPage, type Surface } from './page-path.ts'

/** Who saw the request: the script in the reader's browser, or the site's servers and their logs. */
export type CountingSource = 'script' | 'servers'

export interface SiteRequest {
  userAgent: string
  method: string
  status: number
  /** As the request line has it: encoded, with its query. */
  path: string
  accept: string
  /** The browser fetched it in advance (`Sec-Purpose: prefetch`): perhaps nobody ever looked. */
  prefetch: boolean
  source: CountingSource
}

export interface SeenView extends Omit<DetectedClient, 'name'> {
  counted: true
  /** The client's name. */
  client: string
  path: string
  surface: Surface
  /** As much of it as was looked at: together with the fields beside it all that the rule has read. */
  userAgent: string
  acceptsMarkdown: boolean
}

export type Classification = SeenView | { counted: false; reason: DropReason }

const maxUserAgentCharacters = 1_000
const maxAcceptCharacters = 2_000

/** People are counted by the project's choice of source, everybody else by servers: nothing twice. */
export function classify(
  request: SiteRequest,
  { clientDetector, humanSource }: { clientDetector: ClientDetector; humanSource: CountingSource },
): Classification {
  if (request.method !== 'GET') return dropped('not_get')
  if (request.status !== 200 && request.status !== 304) return dropped('not_successful')
  if (request.prefetch) return dropped('prefetch')
  const page = readPage(request.path)
  if (typeof page === 'string') return dropped(page)

  const userAgent = request.userAgent.slice(0, maxUserAgentCharacters).toWellFormed()
  const acceptsMarkdown = markdownType.test(request.accept.slice(0, maxAcceptCharacters))
  const { path, surface } = page
  const { name, ...detected } = clientDetector.detect({ userAgent, acceptsMarkdown, surface })
  const countedBy = detected.class === 'human' ? humanSource : 'servers'
  if (request.source !== countedBy) return dropped('counted_elsewhere')
  return { counted: true, ...detected, client: name, path, surface, userAgent, acceptsMarkdown }
}

const markdownType = /(?:^|,)\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i

const dropped = (reason: DropReason): Classification => ({ counted: false, reason })
