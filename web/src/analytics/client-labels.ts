/** Labels for client classes and for the rules that assign them. */
import type { ClientClassification, ListClientsResponse } from '@colophon/sdk'

export type ClientClass = ListClientsResponse['clients'][number]['class']
type Rule = NonNullable<ClientClassification['view']>['rule']

export interface ClientClassLabel {
  name: string
  description: string
  color: string
}

/** In display order. */
export const clientClassLabels: Record<ClientClass, ClientClassLabel> = {
  human: {
    name: 'Humans',
    description: 'Clients with a browser user agent, including AI agents that use a browser.',
    color: 'var(--chart-human)',
  },
  assistant: {
    name: 'Assistants and agents',
    description: 'They read a page for a user who asked them something.',
    color: 'var(--chart-ai)',
  },
  'ai-search': {
    name: 'AI search crawlers',
    description: 'They index pages that AI search engines may cite.',
    color: 'var(--chart-ai)',
  },
  'ai-training': {
    name: 'AI training crawlers',
    description: 'They collect text to train models.',
    color: 'var(--chart-ai)',
  },
  search: {
    name: 'Search engines',
    description: 'Counted only here, not in the totals.',
    color: 'var(--chart-other)',
  },
  'other-bot': {
    name: 'Other bots',
    description: 'Monitors, link checkers and scripts. Counted only here, not in the totals.',
    color: 'var(--chart-other)',
  },
}

export const formatClientName = (name: string): string =>
  name === 'browser' ? 'Browsers' : name === 'unknown' ? 'Unknown' : name

export const classificationRuleLabels: Record<Rule, string> = {
  listed: 'The user agent contains the name of a known client.',
  accepts_markdown: 'The Accept header requests Markdown, as tools for AI models do.',
  browser: 'The user agent is that of a browser and matches no known client.',
  markdown_or_llms_txt: 'Not a browser, and it requested Markdown or llms.txt, which are written for AI models.',
  unrecognized: 'Neither a browser nor a known client, so it counts as a bot.',
}
