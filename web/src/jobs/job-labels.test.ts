import { expect, test } from 'vitest'
import { describeJobStatus, describeResult, formatCost, isTurnInProgress, jobTitle } from './job-labels.ts'

test('uses the title, or the beginning of the prompt', () => {
  expect(jobTitle({ title: 'Title', promptPreview: 'p' })).toBe('Title')
  expect(jobTitle({ title: null, promptPreview: '\n Do it. \nMore.' })).toBe('Do it. ')
  expect(jobTitle({ title: null, promptPreview: `${'word '.repeat(30)}` })).toMatch(/^(word )+word …$/)
  expect(jobTitle({ title: null, promptPreview: ' ' })).toBe('Untitled job')
})

test('distinguishes cancelled from failed, and stopping from active', () => {
  expect(describeJobStatus({ status: 'failed', outcome: 'cancelled', pendingStop: null }).label).toBe('Cancelled')
  expect(describeJobStatus({ status: 'active', outcome: null, pendingStop: 'archive' }).label).toBe('Stopping')
})

test('shows whether a result awaits approval or was rejected', () => {
  const status = { status: 'completed', pendingStop: null } as const
  expect(describeJobStatus({ ...status, outcome: 'awaiting_approval' })).toEqual({
    label: 'Awaiting approval',
    color: 'yellow',
  })
  expect(describeJobStatus({ ...status, outcome: 'rejected' })).toEqual({ label: 'Rejected', color: 'gray' })
  expect(describeJobStatus({ ...status, status: 'archived', outcome: 'awaiting_approval' }).label).toBe('Archived')
})

test('describes a result that the status does not show', () => {
  expect(describeResult({ outcome: 'diff' })).toBe('Diff only')
  expect(describeResult({ outcome: 'awaiting_approval' })).toBeNull()
  expect(describeResult({ outcome: null })).toBeNull()
})

test('never rounds a cost to zero', () => {
  expect([null, 0, 0.00042, 0.0099, 0.014, 12.3].map(formatCost)).toEqual([
    'Unknown',
    '$0',
    '$0.00042',
    '$0.0099',
    '$0.01',
    '$12.30',
  ])
})

test('a message is in progress until it has ended', () => {
  expect((['queued', 'running', 'publishing'] as const).every((status) => isTurnInProgress({ status }))).toBe(true)
  expect((['completed', 'failed', 'dropped'] as const).some((status) => isTurnInProgress({ status }))).toBe(false)
})
