import type { Dispatcher } from 'undici'
import { EgressError } from './egress-error.ts'

type ToCallerError = (error: unknown) => unknown

interface SizeLimit {
  maxBytes: number
  onReceived: ((bytes: number) => void) | undefined
}

export function toFetchResponse(
  url: URL,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  size: SizeLimit,
  toCallerError: ToCallerError,
): Response {
  body.on('error', () => {}) // it may fail before it is read, which must not end the process
  try {
    const pairs = Object.entries(headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    )
    const hasNoBody = [204, 205, 304].includes(statusCode)
    const stream = hasNoBody ? null : sizeLimitedStream(body, size, toCallerError)
    const response = new Response(stream, { status: statusCode, headers: pairs })
    if (hasNoBody) body.dump({ limit: size.maxBytes }).catch(() => {})
    return Object.defineProperty(response, 'url', { value: url.href })
  } catch (error) {
    body.destroy()
    throw new EgressError('bad_response', `${url.host} did not respond with valid HTTP.`, { cause: error })
  }
}

function sizeLimitedStream(
  body: Dispatcher.ResponseData['body'],
  { maxBytes, onReceived }: SizeLimit,
  toCallerError: ToCallerError,
) {
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
            throw new EgressError('too_large', `The response is larger than the limit of ${maxBytes} bytes.`)
          }
          onReceived?.(next.value.byteLength)
          controller.enqueue(next.value)
        } catch (error) {
          body.destroy()
          controller.error(toCallerError(error))
        }
      },
      cancel() {
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
