/** Who a reader is: the rule around the list of known readers, as that list's `note` tells it. */

import type { ClientClass } from './client-class.ts'
import { type ClientList, type KnownClient, readClientList, unlisted } from './client-list.ts'
import { findFirstOf } from './first-match.ts'
import type { Surface } from './page-path.ts'

export interface ClientSignals {
  userAgent: string
  acceptsMarkdown: boolean
  surface: Surface
}

export interface DetectedClient {
  class: ClientClass
  /** A name from the client list, or `browser` or `unknown`. */
  name: string
  rule: ClientRule
}

/** What decided. */
export const clientRules = ['listed', 'accepts_markdown', 'browser', 'markdown_or_llms_txt', 'unrecognized'] as const
export type ClientRule = (typeof clientRules)[number]

export interface ClientDetector {
  /** Of the rule and its list together: views that were counted by another one can be found, and counted again. */
  version: string
  detect(signals: ClientSignals): DetectedClient
}

const ruleVersion = 1 // to be raised with every change of `recognise` or `looksLikeBrowser`

export function compileClientDetector({ version, clients }: ClientList): ClientDetector {
  const findFirst = findFirstOf(clients)
  const byUserAgent = (userAgent: string): KnownClient | undefined => clients[findFirst(userAgent) ?? clients.length]

  return {
    version: `${ruleVersion}/${version}`,
    detect({ userAgent, acceptsMarkdown, surface }) {
      const known = byUserAgent(userAgent)
      const name = known?.name ?? unlisted.unknown
      if (known && !known.generic) return { class: known.class, name, rule: 'listed' }
      if (acceptsMarkdown) return { class: 'assistant', name, rule: 'accepts_markdown' }
      if (!known && looksLikeBrowser(userAgent)) return { class: 'human', name: unlisted.browser, rule: 'browser' }
      if (surface === 'markdown' || surface === 'llms')
        return { class: 'assistant', name, rule: 'markdown_or_llms_txt' }
      return { class: 'other-bot', name, rule: 'unrecognized' }
    },
  }
}

export const loadClientDetector = (): ClientDetector => compileClientDetector(readClientList())

const browserEngine = /(?:AppleWebKit|Gecko|Trident|Goanna)\//i
const otherBrowser = /^(?:Opera|Lynx|w3m|ELinks|Dillo)\/|^Links \(/

const looksLikeBrowser = (userAgent: string) =>
  (userAgent.startsWith('Mozilla/5.0 (') && browserEngine.test(userAgent)) || otherBrowser.test(userAgent)
