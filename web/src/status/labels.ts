/** How the page describes the readiness that `/readyz` reports. */
import type { Readiness } from '@colophon/sdk'
import type { ReadinessPollState } from './watch-readiness.ts'

interface StateLabel {
  headline: string
  meaning: string
  tone: 'good' | 'poor' | 'bad' | 'unknown'
}

const stateLabels: Readonly<Record<Readiness['status'] | 'loading' | 'unreachable', StateLabel>> = {
  loading: { headline: 'Loading', meaning: 'Checking all components.', tone: 'unknown' },
  ready: { headline: 'Ready', meaning: 'All components work.', tone: 'good' },
  degraded: {
    headline: 'Degraded',
    meaning: 'Requests are accepted. Some work waits until all components are back.',
    tone: 'poor',
  },
  not_ready: {
    headline: 'Not ready',
    meaning: 'Colophon cannot work until the failing components are back.',
    tone: 'bad',
  },
  stopping: {
    headline: 'Stopping',
    meaning: 'Requests in progress are finished; new ones are rejected.',
    tone: 'poor',
  },
  unreachable: {
    headline: 'Unreachable',
    meaning: 'Colophon may be restarting, or the network is down. This page keeps checking.',
    tone: 'bad',
  },
}

export const describeReadinessState = (state: ReadinessPollState): StateLabel =>
  stateLabels[state.state === 'loaded' ? state.readiness.status : state.state]

const reasonLabels = new Map([
  ['unreachable', 'Unreachable.'],
  ['timeout', 'Does not respond in time.'],
  ['read_only', 'Does not accept writes.'],
  ['disk_full', 'Its disk is full.'],
  ['namespace_missing', 'Not set up: an administrator has to run the migrations.'],
  ['migrations_pending', 'Not up to date: an administrator has to run the migrations.'],
  ['version_too_old', 'Migrated to a newer version of Colophon: an administrator has to start that version.'],
  ['restore_unfinished', 'Not restored completely: an administrator has to run the restore again.'],
])

export const describeFailureReason = (reason: string): string => reasonLabels.get(reason) ?? `Failing: ${reason}.`

const warningLabels = new Map([
  [
    'untrusted_proxy',
    'Warning: requests come from a reverse proxy that is not in COLOPHON_TRUSTED_PROXIES, so all clients share one rate limit. An ' +
      'administrator has to add its address, which is in the log.',
  ],
])

export const describeWarning = (warning: string): string => warningLabels.get(warning) ?? `Warning: ${warning}.`
