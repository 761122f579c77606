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

interface ComponentLabel {
  name: string
  /** What it does for Colophon. */
  purpose: string
  /** What happens while it fails. */
  impact: string
}

const componentLabels = new Map<string, ComponentLabel>([
  [
    'postgres',
    {
      name: 'PostgreSQL',
      purpose: 'Stores jobs, projects and API keys.',
      impact: 'Colophon cannot work without it.',
    },
  ],
  ['temporal', { name: 'Temporal', purpose: 'Runs the workflows of jobs.', impact: 'Jobs are accepted and wait.' }],
  [
    'clickhouse',
    {
      name: 'ClickHouse',
      purpose: 'Counts page views.',
      impact: 'Page views are accepted and wait; reports are unavailable.',
    },
  ],
])

/** A newer server may have components that this page does not know. */
export const describeReadinessComponent = (component: string): ComponentLabel =>
  componentLabels.get(component) ?? { name: component, purpose: '', impact: '' }

const reasonLabels = new Map([
  ['unreachable', 'Unreachable.'],
  ['timeout', 'Does not respond in time.'],
  ['read_only', 'Does not accept writes.'],
  ['disk_full', 'Its disk is full.'],
  ['namespace_missing', 'Not set up: the operator has to run the migrations.'],
  ['migrations_pending', 'Not up to date: the operator has to run the migrations.'],
])

export const describeFailureReason = (reason: string): string => reasonLabels.get(reason) ?? `Failing: ${reason}.`
