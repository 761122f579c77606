import type { ProjectSetup } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { setupRefetchIntervalMs } from './setup-refetch-interval.ts'

const allDone: ProjectSetup = {
  repository: { isConnected: true, name: 'docs/handbook' },
  model: { name: 'a model' },
  runner: { lastSeenAt: '2026-01-02T03:04:05Z', isOnline: true },
  job: { id: 'job_1', status: 'completed' },
  pullRequest: { url: 'https://git.example.com/1', state: 'merged' },
  apiKey: { isCreated: true },
  siteKey: { key: 'site_1' },
  views: { hasHuman: true, hasAi: true },
}

test('refetches often for ten minutes while the checklist is open, then rarely, and never when all steps are done', () => {
  const setup = { ...allDone, apiKey: { isCreated: false } }
  expect(setupRefetchIntervalMs({ setup, isOpen: true, openForMs: 0 })).toBe(2_000)
  expect(setupRefetchIntervalMs({ setup, isOpen: true, openForMs: 600_000 })).toBe(30_000)
  expect(setupRefetchIntervalMs({ setup, isOpen: false, openForMs: 0 })).toBe(30_000)
  expect(setupRefetchIntervalMs({ setup: allDone, isOpen: true, openForMs: 0 })).toBe(false)
})
