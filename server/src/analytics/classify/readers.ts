/** Who a reader is: the rule around the list of known readers, as that list's `note` tells it. */
import { findFirstOf } from './first-match.ts'
import type { Surface } from './page-path.ts'
import type { ReaderClass } from './reader-class.ts'
import { type KnownReader, type ReaderList, readReaderList, unlisted } from './reader-list.ts'

/**
 * What is known beyond the words of the request. `proven`: by an address or a signature it is the listed reader of this
 * name. `impostor`: it cannot be the one whose name it bears.
 */
export type Verification = { kind: 'none' } | { kind: 'proven'; agent: string } | { kind: 'impostor' }

export interface ReaderSigns {
  userAgent: string
  asksForMarkdown: boolean
  surface: Surface
  verification: Verification
}

export interface Reader {
  class: ReaderClass
  /** A name of the list, or `browser`, or `unknown`. */
  agent: string
  rule: ReaderRule
}

/** What decided. */
export const readerRules = [
  'proven',
  'impostor',
  'listed',
  'asks_for_markdown',
  'browser',
  'reads_what_is_written_for_models',
  'nothing_known',
] as const
export type ReaderRule = (typeof readerRules)[number]

export interface Readers {
  /** Of the rule and its list together: views that were counted by another one can be found, and counted again. */
  version: string
  recognise(signs: ReaderSigns): Reader
}

const ruleVersion = 1 // to be raised with every change of `recognise` or `looksLikeBrowser`

export function compileReaders({ version, agents }: ReaderList): Readers {
  const findFirst = findFirstOf(agents)
  const byName = new Map(agents.map((reader) => [reader.name, reader]))
  const byUserAgent = (userAgent: string): KnownReader | undefined => agents[findFirst(userAgent) ?? agents.length]

  return {
    version: `${ruleVersion}/${version}`,
    recognise({ userAgent, asksForMarkdown, surface, verification }) {
      const proven = verification.kind === 'proven' ? byName.get(verification.agent) : undefined
      if (proven) return { class: proven.class, agent: proven.name, rule: 'proven' }
      const known = byUserAgent(userAgent)
      const agent = known?.name ?? unlisted.unknown
      if (verification.kind === 'impostor') return { class: 'other-bot', agent, rule: 'impostor' }
      if (known && !known.generic) return { class: known.class, agent, rule: 'listed' }
      if (asksForMarkdown) return { class: 'assistant', agent, rule: 'asks_for_markdown' }
      if (!known && looksLikeBrowser(userAgent)) return { class: 'human', agent: unlisted.browser, rule: 'browser' }
      if (surface === 'markdown' || surface === 'llms')
        return { class: 'assistant', agent, rule: 'reads_what_is_written_for_models' }
      return { class: 'other-bot', agent, rule: 'nothing_known' }
    },
  }
}

export const readReaders = (): Readers => compileReaders(readReaderList())

const browserEngine = /(?:AppleWebKit|Gecko|Trident|Goanna)\//i
const otherBrowser = /^(?:Opera|Lynx|w3m|ELinks|Dillo)\/|^Links \(/

const looksLikeBrowser = (userAgent: string) =>
  (userAgent.startsWith('Mozilla/5.0 (') && browserEngine.test(userAgent)) || otherBrowser.test(userAgent)
