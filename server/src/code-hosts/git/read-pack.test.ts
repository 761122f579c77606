import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gitObject, packEntry, packOf, packOfEntries } from '../testing/craft-objects.ts'
import { refusalOfPack } from './read-pack.ts'

const limits = { objects: 10, objectBytes: 1000, totalBytes: 3000 }
const blob = (sizeBytes: number) => gitObject('blob', Buffer.alloc(sizeBytes, 'a'))
/** Sizes of base and result, then instructions. */
const delta = (madeBytes: number) => Buffer.from([0x05, (madeBytes & 0x7f) | 0x80, madeBytes >> 7, 0x90, 0x05])
const base = '0'.repeat(40)

describe('refusalOfPack', () => {
  it.each([
    ['an empty pack', packOf([])],
    ['up to the limits', packOf([blob(0), blob(1000), blob(999), blob(1)])],
    ['a delta by id', packOfEntries([packEntry(7, delta(900), { base })])],
    ['a delta by place', packOfEntries([packEntry(6, delta(900), { base: '8110' })])],
  ])('takes %s', async (_, pack) => {
    await expect(refusalOfPack(pack, limits)).resolves.toBeUndefined()
  })

  it.each([
    ['too_many_objects', packOf(Array.from({ length: 11 }, () => blob(1)))],
    ['object_too_large', packOf([blob(1001)])],
    ['object_too_large', packOfEntries([packEntry(7, delta(1001), { base })])],
    ['too_much_content', packOf([blob(1000), blob(1000), blob(1000), blob(1)])],
    ['too_much_content', packOfEntries([1, 2, 3].map(() => packEntry(7, delta(1000), { base })))],
    ['broken_pack', Buffer.alloc(0)],
    ['broken_pack', Buffer.alloc(100)],
    ['broken_pack', packOfEntries([packEntry(3, Buffer.alloc(100), { claimedBytes: 10 })])],
    ['broken_pack', packOfEntries([packEntry(3, Buffer.alloc(10), { claimedBytes: 100 })])],
    ['broken_pack', packOfEntries([packEntry(0, Buffer.alloc(10))])],
    ['broken_pack', packOfEntries([packEntry(5, Buffer.alloc(10))])],
    ['broken_pack', packOfEntries([packEntry(7, Buffer.alloc(0), { base })])],
    ['broken_pack', packOfEntries([Buffer.alloc(30, 0xff)])],
    ['broken_pack', packOfEntries([packEntry(3, Buffer.alloc(10))], 2)],
    ['broken_pack', packOfEntries([packEntry(3, Buffer.alloc(10)), packEntry(3, Buffer.alloc(10))], 1)],
  ])('says %s', async (code, pack) => {
    await expect(refusalOfPack(pack, limits)).resolves.toBe(code)
  })

  it('holds on any bytes', async () => {
    const entry = fc
      .tuple(fc.nat(7), fc.uint8Array({ maxLength: 50 }), fc.nat(2000))
      .map(([type, bytes, claimedBytes]) => packEntry(type, Buffer.from(bytes), { claimedBytes, base }))
    const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(entry, anyBytes), { maxLength: 12 }), async (entries) => {
        await refusalOfPack(packOfEntries(entries), limits)
      }),
      { numRuns: 500 },
    )
  })
})
