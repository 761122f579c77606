import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame, type Frame, FrameReader, maxFramePayloadBytes } from './frames.ts'

const frame = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  processNumber: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
})

describe('frames', () => {
  it('are decoded as sent, however the stream is split', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.concat(
          sent.map(({ kind, processNumber, payload }) => encodeFrame(kind, processNumber, payload)),
        )
        const reader = new FrameReader()
        const received: Frame[] = []
        for (let offset = 0, index = 0; offset < stream.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1
          received.push(...reader.read(stream.subarray(offset, offset + size)))
          offset += size
        }
        expect(received).toEqual(sent)
      }),
    )
  })

  it('have a maximum length in both directions', () => {
    expect(() => encodeFrame(1, 1, Buffer.alloc(maxFramePayloadBytes + 1))).toThrow('too long')
    const header = encodeFrame(1, 1)
    header.writeUInt32BE(maxFramePayloadBytes + 1, 0)
    expect(() => new FrameReader().read(header)).toThrow('too long')
  })
})
