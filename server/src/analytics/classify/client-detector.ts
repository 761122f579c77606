/** Identifies the client of a request: the rule around the client list, as the `note` of that list describes it. */

import type { ClientClass } from './client-class.ts'
import { type ClientList, type ClientListEntry, readClientList, unlistedClientNames } from './client-list.ts'
import { compileFirstMatchFinder } from './first-match-finder.ts'
import type { RequestedPageFormat } from './page-path.ts'

export interface ClientSignals {
  userAgent: string
  acceptsMarkdown: boolean
  surface: RequestedPageFormat
}

export interface DetectedClient {
  class: ClientClass
  /** A name from the client list, or `browser` or `unknown`. */
  name: string
  rule: ClientDetectionRule
}

/** Which part of the rule decided. */
export const clientDetectionRules = [
  'listed',
  'accepts_markdown',
  'browser',
  'markdown_or_llms_txt',
  'unrecognized',
] as const
export type ClientDetectionRule = (typeof clientDetectionRules)[number]

export interface ClientDetector {
  /** Of the rule and its list together, so that views that an older version classified can be found and classified again. */
  version: string
  detect(signals: ClientSignals): DetectedClient
}

const ruleVersion = 1 // raise it with every change of `detect` or `looksLikeBrowser`

export function compileClientDetector({ version, clients }: ClientList): ClientDetector {
  const findFirst = compileFirstMatchFinder(clients)
  const findByUserAgent = (userAgent: string): ClientListEntry | undefined =>
    clients[findFirst(userAgent) ?? clients.length]

  return {
    version: `${ruleVersion}/${version}`,
    detect({ userAgent, acceptsMarkdown, surface }) {
      const listed = findByUserAgent(userAgent)
      const name = listed?.name ?? unlistedClientNames.unknown
      if (listed && !listed.generic) return { class: listed.class, name, rule: 'listed' }
      if (acceptsMarkdown) return { class: 'assistant', name, rule: 'accepts_markdown' }
      if (!listed && looksLikeBrowser(userAgent))
        return { class: 'human', name: unlistedClientNames.browser, rule: 'browser' }
      if (surface === 'markdown' || surface === 'llms')
        return { class: 'assistant', name, rule: 'markdown_or_llms_txt' }
      return { class: 'other-bot', name, rule: 'unrecognized' }
    },
  }
}

export const loadClientDetector = (): ClientDetector => compileClientDetector(readClientList())

const rendererToken = /(?:AppleWebKit|Gecko|Trident|Goanna)\//i
const otherBrowser = /^(?:Opera|Lynx|w3m|ELinks|Dillo)\/|^Links \(/

const looksLikeBrowser = (userAgent: string) =>
  (userAgent.startsWith('Mozilla/5.0 (') && rendererToken.test(userAgent)) || otherBrowser.test(userAgent)
