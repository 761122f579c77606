import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatServerSentEvent, readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const offsets = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  const starts = [0, ...offsets]
  return ReadableStream.from(starts.map((start, index) => bytes.subarray(start, offsets[index])))
}

async function read(text: string, cuts: readonly number[] = []): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = []
  for await (const event of readServerSentEvents(streamOf(Buffer.from(text), cuts))) events.push(event)
  return events
}

const line = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '').toWellFormed())
const event = fc.record({
  name: line.map((text) => text.trim()),
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
})

test('parses what it serializes, with any chunk boundaries and line endings', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(), { maxLength: 10 }),
      async (events, lineEnd, cuts) => {
        const text = events.map(formatServerSentEvent).join('').replaceAll('\n', lineEnd)
        expect(await read(text, cuts)).toEqual(events)
      },
    ),
  )
})

test('drops comments, ids and empty events', async () => {
  expect(await read(': OPENROUTER PROCESSING\n\nid: 7\nretry: 1\nevent: a\ndata:x\n\nevent: b\n\n')).toEqual([
    { name: 'a', data: 'x' },
  ])
})

test('accepts a last event without a blank line after it', async () => {
  expect(await read('data: {}\n\ndata: [DONE]')).toEqual([
    { name: '', data: '{}' },
    { name: '', data: '[DONE]' },
  ])
})

test('rejects an endless line', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.alloc(1 << 20, 'x')),
  })
  await expect(readServerSentEvents(endless).next()).rejects.toThrow('too long')
})
