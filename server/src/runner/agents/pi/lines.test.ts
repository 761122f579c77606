import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineReader } from './lines.ts'

it('finds the lines again, however the bytes are cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '🎉', '\u2028', '\u2029', '\r') })
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      const reader = new LineReader(1_000)
      const found: string[] = []
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)))
      expect(found).toEqual(lines)
    }),
  )
})

it('does not wait for the end of a line without end', () => {
  const reader = new LineReader(10)
  expect(() => {
    for (;;) reader.read(Buffer.from('more'))
  }).toThrow('more than 10 bytes')
})
