import type { ProjectSetup } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { allSteps as all, hasSomethingToShow, isAllDone, stepsLeft } from './steps.ts'

const nothing: ProjectSetup = {
  repository: { isConnected: false, name: null },
  model: { name: null },
  runner: { lastSeenAt: null, isOnline: false },
  job: { id: null, status: null },
  pullRequest: { url: null, state: null },
  apiKey: { isCreated: false },
  siteKey: { key: 'site_1' },
  views: { hasHuman: false, hasAi: false },
}

test('a new project has every step before it', () => {
  expect(stepsLeft(all, nothing)).toEqual(all)
  expect(isAllDone(nothing)).toBe(false)
})

test('an open pull request is seen and not merged; a runner that went away was there', () => {
  const setup: ProjectSetup = {
    ...nothing,
    runner: { lastSeenAt: '2026-01-02T03:04:05Z', isOnline: false },
    job: { id: 'job_1', status: 'completed' },
    pullRequest: { url: 'https://git.example.com/1', state: 'open' },
  }
  expect(stepsLeft(all, setup)).toEqual(['repository', 'model', 'merge', 'human-view', 'key', 'ai-view'])
})

test('steps need not be done in order, and with the last one all is done', () => {
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
  expect(stepsLeft(all, setup)).toEqual(['human-view'])
  expect(isAllDone({ ...setup, views: { hasHuman: true, hasAi: true } })).toBe(true)
})

test('a first pull request or a first view is something to show', () => {
  expect(hasSomethingToShow(nothing)).toBe(false)
  expect(hasSomethingToShow({ ...nothing, views: { hasHuman: false, hasAi: true } })).toBe(true)
  const pullRequest = { url: 'https://git.example.com/1', state: 'open' } as const
  expect(hasSomethingToShow({ ...nothing, pullRequest })).toBe(true)
})
