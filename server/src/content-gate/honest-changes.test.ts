import { expect, it } from 'vitest'
import { formatChangeRefusal } from './format-refusal.ts'
import { inspectChanges } from './inspect-changes.ts'
import { judgeHonestChange, readHonestChanges } from './testing/honest-changes.ts'

const changes = readHonestChanges()

it.each(changes)('$name is accepted, unless it is explained why not', async (change) => {
  const { generator, refusals } = await judgeHonestChange(change, inspectChanges)
  expect(generator).toBe(change.generator)
  if (change.refused === undefined) expect(refusals.map(formatChangeRefusal)).toEqual([])
  else expect(refusals).not.toEqual([])
})

it('refuses at most 2 % of at least 200 honest changes', () => {
  expect(changes.length).toBeGreaterThanOrEqual(200)
  expect(changes.filter(({ refused }) => refused !== undefined).length / changes.length).toBeLessThanOrEqual(0.02)
})
