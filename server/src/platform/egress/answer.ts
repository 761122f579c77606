import type { Dispatcher } from 'undici'
import { EgressError } from './egress-error.ts'

type Explain = (error: unknown) => unknown

export function asResponse(
  url: URL,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
  explain: Explain,
): Response {
  body.on('error', () => {}) // it may fail before anyone reads, which must not end the process
  try {
    const pairs = Object.entries(headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    )
    const isWithoutBody = [204, 205, 304].includes(statusCode)
    const stream = isWithoutBody ? null : boundedStream(body, maxBytes, explain)
    const response = new Response(stream, { status: statusCode, headers: pairs })
    if (isWithoutBody) body.dump({ limit: maxBytes }).catch(() => {})
    return Object.defineProperty(response, 'url', { value: url.href })
  } catch (error) {
    body.destroy()
    throw new EgressError('bad_response', `${url.host} answered with something that is not HTTP.`, { cause: error })
  }
}

function boundedStream(body: Dispatcher.ResponseData['body'], maxBytes: number, explain: Explain) {
  const chunks = body[Symbol.asyncIterator]()
  let receivedBytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await chunks.next()
          if (next.done) return controller.close()
          receivedBytes += next.value.byteLength
          if (receivedBytes > maxBytes) {
            throw new EgressError('too_large', `The answer is larger than the ${maxBytes} bytes allowed here.`)
          }
          controller.enqueue(next.value)
        } catch (error) {
          body.destroy()
          controller.error(explain(error))
        }
      },
      cancel() {
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
