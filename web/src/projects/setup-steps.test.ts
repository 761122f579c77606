import type { ProjectSetup } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { allSetupSteps as all, findRemainingSetupSteps, hasActivity, isSetupComplete } from './setup-steps.ts'

const emptySetup: ProjectSetup = {
  repository: { isConnected: false, name: null },
  model: { name: null },
  runner: { lastSeenAt: null, isOnline: false },
  job: { id: null, status: null },
  pullRequest: { url: null, state: null },
  apiKey: { isCreated: false },
  siteKey: { key: 'site_1' },
  views: { hasHuman: false, hasAi: false },
}

test('a new project has all steps left', () => {
  expect(findRemainingSetupSteps(all, emptySetup)).toEqual(all)
  expect(isSetupComplete(emptySetup)).toBe(false)
})

test('an open pull request completes its step but not the merge, and an offline runner completes its step', () => {
  const setup: ProjectSetup = {
    ...emptySetup,
    runner: { lastSeenAt: '2026-01-02T03:04:05Z', isOnline: false },
    job: { id: 'job_1', status: 'completed' },
    pullRequest: { url: 'https://git.example.com/1', state: 'open' },
  }
  expect(findRemainingSetupSteps(all, setup)).toEqual(['repository', 'model', 'merge', 'human-view', 'key', 'ai-view'])
})

test('steps can be done in any order, and the setup is complete with the last one', () => {
  const setup: ProjectSetup = {
    repository: { isConnected: true, name: 'docs/handbook' },
    model: { name: 'a model' },
    runner: { lastSeenAt: '2026-01-02T03:04:05Z', isOnline: true },
    job: { id: 'job_1', status: 'completed' },
    pullRequest: { url: 'https://git.example.com/1', state: 'merged' },
    apiKey: { isCreated: true },
    siteKey: { key: 'site_1' },
    views: { hasHuman: false, hasAi: true },
  }
  expect(findRemainingSetupSteps(all, setup)).toEqual(['human-view'])
  expect(isSetupComplete({ ...setup, views: { hasHuman: true, hasAi: true } })).toBe(true)
})

test('the first pull request or the first view is activity', () => {
  expect(hasActivity(emptySetup)).toBe(false)
  expect(hasActivity({ ...emptySetup, views: { hasHuman: false, hasAi: true } })).toBe(true)
  const pullRequest = { url: 'https://git.example.com/1', state: 'open' } as const
  expect(hasActivity({ ...emptySetup, pullRequest })).toBe(true)
})
