import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proofNames, readResults, renderResults } from './results.ts'

test('every proof has a recorded run with figures', () => {
  const results = readResults()
  expect(results.map(({ proof }) => proof).toSorted()).toEqual(proofNames.toSorted())
  for (const { proof, figures } of results) expect(figures.length, proof).toBeGreaterThan(0)
})

test('RESULTS.md is generated from results.json', async () => {
  const committed = readFileSync(join(import.meta.dirname, 'RESULTS.md'), 'utf8')
  expect(committed, 'Run `npm run results`.').toBe(await renderResults(readResults()))
}, 120_000)
