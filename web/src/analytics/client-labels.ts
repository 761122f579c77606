/** Kinds of readers, and the rules that find them, in the words of people. */
import type { ClientClassification, ListClientsResponse } from '@colophon/sdk'

export type ClientClass = ListClientsResponse['clients'][number]['class']
type Rule = NonNullable<ClientClassification['view']>['rule']

export interface ClientKind {
  name: string
  what: string
  ink: string
}

/** In the order in which they are shown. */
export const clientKinds: Record<ClientClass, ClientKind> = {
  human: { name: 'People', what: 'Somebody with a browser.', ink: 'var(--ink-people)' },
  assistant: {
    name: 'Assistants and agents',
    what: 'They read because somebody asked them something, just now.',
    ink: 'var(--ink-ai)',
  },
  'ai-search': {
    name: 'Indexers of AI search',
    what: 'They collect pages that an AI search may later cite.',
    ink: 'var(--ink-ai)',
  },
  'ai-training': {
    name: 'Crawlers for training',
    what: 'They collect text that models are trained on.',
    ink: 'var(--ink-ai)',
  },
  search: {
    name: 'Search engines',
    what: 'Counted here, in no other number.',
    ink: 'var(--ink-others)',
  },
  'other-bot': {
    name: 'Other bots',
    what: 'Monitors, link checkers, scripts. Counted here, in no other number.',
    ink: 'var(--ink-others)',
  },
}

export const clientName = (name: string): string =>
  name === 'browser' ? 'Browsers' : name === 'unknown' ? 'Unknown' : name

export const ruleWords: Record<Rule, string> = {
  listed: 'Its user agent holds a name of the list of known readers.',
  accepts_markdown: 'It asks for Markdown (the Accept header), as only tools for models do.',
  browser: 'Its user agent looks like that of a browser, and no known reader uses it.',
  markdown_or_llms_txt: 'It is no browser, and asked for what is written for models: Markdown or llms.txt.',
  unrecognized: 'Neither a browser nor a known reader: taken for a bot.',
}
