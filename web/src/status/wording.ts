/** How the page words what `/readyz` says. */
import type { Readiness } from '@colophon/sdk'
import type { Seen } from './watch-readiness.ts'

interface StateWords {
  headline: string
  meaning: string
  tone: 'good' | 'poor' | 'bad' | 'unknown'
}

const stateWords: Readonly<Record<Readiness['status'] | 'asking' | 'no_response', StateWords>> = {
  asking: { headline: 'Asking', meaning: 'Finding out what works.', tone: 'unknown' },
  ready: { headline: 'Ready', meaning: 'Everything works.', tone: 'good' },
  degraded: {
    headline: 'Degraded',
    meaning: 'Requests are taken, and some work waits until all parts are back.',
    tone: 'poor',
  },
  not_ready: { headline: 'Not ready', meaning: 'Colophon can do nothing until what fails below is back.', tone: 'bad' },
  stopping: { headline: 'Stopping', meaning: 'What was begun is finished; nothing new is taken.', tone: 'poor' },
  no_response: {
    headline: 'Cannot be reached',
    meaning: 'Colophon may be restarting, or something on the way to it is down. This page keeps asking.',
    tone: 'bad',
  },
}

export const wordsForState = (seen: Seen): StateWords =>
  stateWords[seen.state === 'answered' ? seen.readiness.status : seen.state]

interface PartWords {
  name: string
  /** What it does here. */
  purpose: string
  /** What its loss means. */
  loss: string
}

const partWords = new Map<string, PartWords>([
  ['postgres', { name: 'PostgreSQL', purpose: 'Jobs, projects and keys', loss: 'Nothing works without it.' }],
  ['temporal', { name: 'Temporal', purpose: 'Carries agent jobs through', loss: 'Jobs wait for it.' }],
  [
    'clickhouse',
    {
      name: 'ClickHouse',
      purpose: 'Counts page views',
      loss: 'Views wait for it, and counts cannot be read.',
    },
  ],
])

/** A later server may have parts that this page does not know. */
export const wordsForPart = (part: string): PartWords => partWords.get(part) ?? { name: part, purpose: '', loss: '' }

const reasonWords = new Map([
  ['unreachable', 'Cannot be reached.'],
  ['timeout', 'Does not answer in time.'],
  ['read_only', 'Takes no writes.'],
  ['disk_full', 'Its disk is full.'],
  ['namespace_missing', 'Not set up: run colophon-server migrate.'],
  ['migrations_pending', 'Not up to date: run colophon-server migrate.'],
])

export const wordsForReason = (reason: string): string => reasonWords.get(reason) ?? `Does not work: ${reason}.`
