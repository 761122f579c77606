/** One request of a site in; a view with its reader out, or the reason why it is none. Pure. */
import type { DropReason } from './drop-reason.ts'
import { readPage, type Surface } from './page-path.ts'
import type { Reader, Readers, Verification } from './readers.ts'

/** Who saw the request: the script in the reader's browser, or the site's servers and their logs. */
export type Witness = 'script' | 'servers'

export interface SiteRequest {
  userAgent: string
  method: string
  status: number
  /** As the request line has it: encoded, with its query. */
  path: string
  accept: string
  /** The browser fetched it in advance (`Sec-Purpose: prefetch`): perhaps nobody ever looked. */
  prefetch: boolean
  source: Witness
  verification: Verification
}

export interface SeenView extends Reader {
  counted: true
  path: string
  surface: Surface
  /** As much of it as was looked at: together with the fields beside it all that the rule has read. */
  userAgent: string
  asksForMarkdown: boolean
}

export type Classification = SeenView | { counted: false; reason: DropReason }

const longestUserAgentCharacters = 1_000
const longestAcceptCharacters = 2_000

/** People are counted by the project's choice of witness, everybody else by servers: nothing twice. */
export function classify(
  request: SiteRequest,
  { readers, peopleCountedBy }: { readers: Readers; peopleCountedBy: Witness },
): Classification {
  if (request.method !== 'GET') return dropped('not_get')
  if (request.status !== 200 && request.status !== 304) return dropped('not_successful')
  if (request.prefetch) return dropped('prefetch')
  const page = readPage(request.path)
  if (typeof page === 'string') return dropped(page)

  const userAgent = request.userAgent.slice(0, longestUserAgentCharacters).toWellFormed()
  const asksForMarkdown = markdownType.test(request.accept.slice(0, longestAcceptCharacters))
  const { path, surface } = page
  const reader = readers.recognise({ userAgent, asksForMarkdown, surface, verification: request.verification })
  const witness = reader.class === 'human' ? peopleCountedBy : 'servers'
  if (request.source !== witness) return dropped('counted_elsewhere')
  return { counted: true, ...reader, path, surface, userAgent, asksForMarkdown }
}

const markdownType = /(?:^|,)\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i

const dropped = (reason: DropReason): Classification => ({ counted: false, reason })
