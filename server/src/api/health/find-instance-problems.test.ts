import { expect, test } from 'vitest'
import { findInstanceProblems, type ObservedInstance } from './find-instance-problems.ts'
import type { InstanceQueues } from './instance-queues.ts'

const nothing = { count: 0, oldestAgeSeconds: 0 }
const idle: InstanceQueues = {
  turns: { queued: nothing, running: nothing, publishing: nothing },
  waitingAttempts: nothing,
  runners: { registered: 1, online: 1 },
  views: { waitingBytes: 0, deliveryIdBytes: 100, maxBytes: 1000, oldestAgeSeconds: 0, quarantinedBatches: 0 },
  deliveries: { waiting: 0, oldestDueAgeSeconds: 0 },
}
const healthy: ObservedInstance = {
  readiness: { components: { postgres: { status: 'ok', latencyMs: 1 } }, warnings: [] },
  queues: idle,
  clickhouseFreeBytes: 100 * 1024 ** 3,
  isUpgradeUnfinished: false,
  scheduledBackups: null,
}
const backups = (ageHours: number, intervalHours: number) => ({
  ageSeconds: ageHours * 3600,
  intervalSeconds: intervalHours * 3600,
})
const withQueues = (queues: Partial<InstanceQueues>): ObservedInstance => ({
  ...healthy,
  queues: { ...idle, ...queues },
})

test('a healthy instance has no problems, also without a runner if nothing waits for one', () => {
  expect(findInstanceProblems(healthy)).toEqual([])
  expect(findInstanceProblems(withQueues({ runners: { registered: 1, online: 0 } }))).toEqual([])
  expect(findInstanceProblems({ ...healthy, scheduledBackups: backups(47, 24) })).toEqual([])
  expect(findInstanceProblems({ ...healthy, scheduledBackups: backups(300, 168) })).toEqual([])
})

test.each<[string, ObservedInstance]>([
  [
    'no_runner_online',
    withQueues({ waitingAttempts: { count: 1, oldestAgeSeconds: 1 }, runners: { registered: 1, online: 0 } }),
  ],
  ['turns_waiting', withQueues({ waitingAttempts: { count: 1, oldestAgeSeconds: 601 } })],
  ['publishing_slow', withQueues({ turns: { ...idle.turns, publishing: { count: 1, oldestAgeSeconds: 901 } } })],
  ['views_waiting', withQueues({ views: { ...idle.views, oldestAgeSeconds: 61 } })],
  ['views_buffer_almost_full', withQueues({ views: { ...idle.views, waitingBytes: 701 } })],
  ['views_quarantined', withQueues({ views: { ...idle.views, quarantinedBatches: 1 } })],
  ['deliveries_waiting', withQueues({ deliveries: { waiting: 1, oldestDueAgeSeconds: 601 } })],
  ['disk_low', { ...healthy, clickhouseFreeBytes: 1024 ** 3 }],
  ['backup_old', { ...healthy, scheduledBackups: backups(49, 24) }],
  ['backup_old', { ...healthy, scheduledBackups: backups(3, 1) }],
  ['untrusted_proxy', { ...healthy, readiness: { components: {}, warnings: ['untrusted_proxy'] } }],
  ['upgrade_unfinished', { ...healthy, isUpgradeUnfinished: true }],
])('finds %s', (code, instance) => {
  expect(findInstanceProblems(instance)).toEqual([expect.objectContaining({ code })])
})

test('lists critical problems first, and those that are known while PostgreSQL does not answer', () => {
  const problems = findInstanceProblems({
    readiness: {
      components: { postgres: { status: 'failing', reason: 'unreachable' } },
      warnings: ['untrusted_proxy'],
    },
    queues: null,
    clickhouseFreeBytes: null,
    isUpgradeUnfinished: false,
    scheduledBackups: null,
  })
  expect(problems).toEqual([
    { code: 'postgres_failing', severity: 'critical' },
    { code: 'untrusted_proxy', severity: 'warning' },
  ])
})
