/** What an operator reads about a problem of the instance: what it means for users, and what to do. */
import type { InstanceStatus } from '@colophon/sdk'
import type { DocsPage } from '../shown/docs-link.tsx'

type ProblemCode = InstanceStatus['problems'][number]['code']

interface ProblemLabel {
  title: string
  action: string
  docsPage: DocsPage
}

const labels: Readonly<Record<ProblemCode, ProblemLabel>> = {
  postgres_failing: {
    title: 'PostgreSQL is not working',
    action:
      'Nothing works without it. Check that it is running, that its disk is not full, and that it accepts writes.',
    docsPage: 'operations/health-and-logs',
  },
  temporal_failing: {
    title: 'Temporal is not working',
    action: 'New jobs are accepted and wait. Check that Temporal and its database are running.',
    docsPage: 'operations/health-and-logs',
  },
  clickhouse_failing: {
    title: 'ClickHouse is not working',
    action:
      'Page views are accepted and wait in PostgreSQL; reports fail. Check that it is running and has disk space.',
    docsPage: 'operations/health-and-logs',
  },
  no_runner_online: {
    title: 'Jobs are waiting, and no runner is online',
    action: 'Start a runner, or check the logs of your runners.',
    docsPage: 'runners',
  },
  turns_waiting: {
    title: 'A job has waited for a runner for more than ten minutes',
    action: 'All runners are busy, or none is allowed to serve its project. Start more runners.',
    docsPage: 'runners',
  },
  publishing_slow: {
    title: 'A result has been waiting to be published for more than 15 minutes',
    action: 'Its code host is slow or unreachable, or limits requests. The log of the worker has the details.',
    docsPage: 'operations/health-and-logs',
  },
  views_waiting: {
    title: 'Page views are not reaching ClickHouse',
    action: 'They are kept in PostgreSQL. Check that a worker is running and that ClickHouse works.',
    docsPage: 'operations/health-and-logs',
  },
  views_buffer_almost_full: {
    title: 'The page view buffer is almost full',
    action:
      'Once it is full, page views are rejected. Repair ClickHouse or the worker; in the meantime, a larger buffer gives you time.',
    docsPage: 'operations/sizing',
  },
  views_quarantined: {
    title: 'ClickHouse rejected batches of page views',
    action: 'They are kept, but not counted. Find out why, then retry or discard them.',
    docsPage: 'operations/quarantined-views',
  },
  deliveries_waiting: {
    title: 'Events are delivered late',
    action: 'Deliveries to working endpoints have been due for more than ten minutes. Check that a worker is running.',
    docsPage: 'webhooks',
  },
  disk_low: {
    title: "ClickHouse's disk is almost full",
    action: 'Less than 5 GB are free. Enlarge the disk, or shorten the retention of page views.',
    docsPage: 'operations/sizing',
  },
  backup_old: {
    title: 'There is no recent backup',
    action: 'Find out why colophon-server backup is not running or fails, and run it.',
    docsPage: 'operations/backup',
  },
  untrusted_proxy: {
    title: 'A reverse proxy is not trusted',
    action:
      'All clients behind it share one address and one rate limit. Add its address, which is in the log, to COLOPHON_TRUSTED_PROXIES.',
    docsPage: 'operations/tls-and-proxies',
  },
  upgrade_unfinished: {
    title: 'The last upgrade is not finished',
    action:
      'This version still writes what the previous one can read. When you are sure that you will not go back, run colophon-server upgrade --finish.',
    docsPage: 'operations/upgrade',
  },
}

/** A newer server may report problems that the dashboard does not know. */
export const describeProblem = (code: string): ProblemLabel =>
  labels[code as ProblemCode] ?? {
    title: code,
    action: 'Reload this page, or check the log.',
    docsPage: 'operations/health-and-logs',
  }
