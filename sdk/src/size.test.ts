/** How much the client adds to a page. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const maxGzippedBytes = 12_000

test('the minified client is at most 12 KB gzipped', async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'index.ts'), platform: 'neutral' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  const gzippedBytes = gzipSync(output[0].code, { level: 9 }).length
  console.log(`${gzippedBytes} bytes gzipped, ${output[0].code.length} minified`)
  expect(output[0].imports).toEqual([])
  expect(gzippedBytes).toBeLessThanOrEqual(maxGzippedBytes)
})
