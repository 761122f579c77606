import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundles, createBundle } from './build.ts'

test.each(Object.entries(bundles))('the committed bundle of %s is what the source builds', async (entry, file) => {
  expect(readFileSync(file, 'utf8') === (await createBundle(entry)), 'run npm run integrations').toBe(true)
})
