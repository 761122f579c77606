import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { craftGitObject, craftPackEntry, createPack, createPackFromEntries } from '../testing/craft-objects.ts'
import { checkPack, type PackLimits } from './check-pack.ts'

const limits: PackLimits = { maxObjects: 10, maxObjectBytes: 1000, maxTotalBytes: 3000 }
const blob = (sizeBytes: number) => craftGitObject('blob', Buffer.alloc(sizeBytes, 'a'))
/** The sizes of base and result, then an instruction. */
const delta = (resultBytes: number) => Buffer.from([0x05, (resultBytes & 0x7f) | 0x80, resultBytes >> 7, 0x90, 0x05])
const base = '0'.repeat(40)

describe('checkPack', () => {
  it.each([
    ['an empty pack', createPack([])],
    ['a pack that is exactly at the limits', createPack([blob(0), blob(1000), blob(999), blob(1)])],
    ['a delta that names its base by id', createPackFromEntries([craftPackEntry(7, delta(900), { base })])],
    ['a delta that names its base by offset', createPackFromEntries([craftPackEntry(6, delta(900), { base: '8110' })])],
  ])('accepts %s', async (_, pack) => {
    await expect(checkPack(pack, limits)).resolves.toBeUndefined()
  })

  it.each([
    ['too_many_objects', createPack(Array.from({ length: 11 }, () => blob(1)))],
    ['object_too_large', createPack([blob(1001)])],
    ['object_too_large', createPackFromEntries([craftPackEntry(7, delta(1001), { base })])],
    ['unpacked_too_large', createPack([blob(1000), blob(1000), blob(1000), blob(1)])],
    ['unpacked_too_large', createPackFromEntries([1, 2, 3].map(() => craftPackEntry(7, delta(1000), { base })))],
    ['invalid_pack', Buffer.alloc(0)],
    ['invalid_pack', Buffer.alloc(100)],
    ['invalid_pack', createPackFromEntries([craftPackEntry(3, Buffer.alloc(100), { claimedBytes: 10 })])],
    ['invalid_pack', createPackFromEntries([craftPackEntry(3, Buffer.alloc(10), { claimedBytes: 100 })])],
    ['invalid_pack', createPackFromEntries([craftPackEntry(0, Buffer.alloc(10))])],
    ['invalid_pack', createPackFromEntries([craftPackEntry(5, Buffer.alloc(10))])],
    ['invalid_pack', createPackFromEntries([craftPackEntry(7, Buffer.alloc(0), { base })])],
    ['invalid_pack', createPackFromEntries([Buffer.alloc(30, 0xff)])],
    ['invalid_pack', createPackFromEntries([craftPackEntry(3, Buffer.alloc(10))], 2)],
    [
      'invalid_pack',
      createPackFromEntries([craftPackEntry(3, Buffer.alloc(10)), craftPackEntry(3, Buffer.alloc(10))], 1),
    ],
  ])('refuses with %s', async (code, pack) => {
    await expect(checkPack(pack, limits)).resolves.toBe(code)
  })

  it('does not crash on arbitrary bytes', async () => {
    const entry = fc
      .tuple(fc.nat(7), fc.uint8Array({ maxLength: 50 }), fc.nat(2000))
      .map(([type, bytes, claimedBytes]) => craftPackEntry(type, Buffer.from(bytes), { claimedBytes, base }))
    const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(entry, anyBytes), { maxLength: 12 }), async (entries) => {
        await checkPack(createPackFromEntries(entries), limits)
      }),
      { numRuns: 500 },
    )
  })
})
