/** Parses the body of a report: a line of JSON, which is validated like other bodies, and the bytes after it. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { HttpServer } from '../platform/http/http-server.ts'
import { parseJsonBody } from '../platform/http/json-body.ts'
import { Problem } from '../platform/http/problem.ts'
import { maxBundleBytes, maxSessionBytes, reportMediaType } from '../runner-wire/runner-wire.ts'

const maxHeaderBytes = 8 * 1024 * 1024
export const maxReportBytes = maxHeaderBytes + maxBundleBytes + maxSessionBytes

/** Returns a function that returns the bytes after the first line, once. Empty: there are none. */
export function addReportParser(server: HttpServer): (request: FastifyRequest) => Buffer {
  const attachments = new WeakMap<FastifyRequest, Buffer>()
  server.addContentTypeParser(reportMediaType, async (request: FastifyRequest, incoming: IncomingMessage) => {
    const body = await readBody(incoming, maxReportBytes)
    const end = body.indexOf('\n')
    const header = end === -1 ? body : body.subarray(0, end)
    if (header.length > maxHeaderBytes)
      throw new Problem('too_large', `The first line of a report can have at most ${maxHeaderBytes} bytes.`)
    attachments.set(request, body.subarray(header.length + 1))
    return parseJsonBody(header)
  })
  return (request) => {
    const attachment = attachments.get(request) ?? Buffer.alloc(0)
    attachments.delete(request)
    return attachment
  }
}

/** Reads into one buffer: collecting chunks and then concatenating them takes twice the memory. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const sizeBytes = Number(incoming.headers['content-length'])
  if (Number.isNaN(sizeBytes)) throw new Problem('invalid_request', 'A report must have a Content-Length.')
  if (sizeBytes > maxBytes) throw new Problem('too_large', `A report can have at most ${maxBytes} bytes.`)
  const body = Buffer.alloc(sizeBytes)
  let filledBytes = 0
  for await (const chunk of incoming) filledBytes += (chunk as Buffer).copy(body, filledBytes)
  return body
}
