import type { ProjectSetup } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { askAgainAfterMs } from './ask-again.ts'

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

test('who does the steps sees them tick, for ten minutes; then, or folded, it is asked now and then', () => {
  const setup = { ...allDone, apiKey: { isCreated: false } }
  expect(askAgainAfterMs({ setup, isOpen: true, openForMs: 0 })).toBe(2_000)
  expect(askAgainAfterMs({ setup, isOpen: true, openForMs: 600_000 })).toBe(30_000)
  expect(askAgainAfterMs({ setup, isOpen: false, openForMs: 0 })).toBe(30_000)
  expect(askAgainAfterMs({ setup: allDone, isOpen: true, openForMs: 0 })).toBe(false)
})
