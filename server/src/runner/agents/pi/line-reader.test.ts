import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineReader } from './line-reader.ts'

it('splits bytes into lines, however they are chunked', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '🎉', '\u2028', '\u2029', '\r') })
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      const reader = new LineReader(1_000)
      const result: string[] = []
      for (let offset = 0; offset < bytes.length; offset += size)
        result.push(...reader.read(bytes.subarray(offset, offset + size)))
      expect(result).toEqual(lines)
    }),
  )
})

it('throws on a line that is too long', () => {
  const reader = new LineReader(10)
  expect(() => {
    for (;;) reader.read(Buffer.from('more'))
  }).toThrow('more than 10 bytes')
})
