/** A storage that fails in ways in which real servers do not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { BackupError, BackupFileTooLarge } from './backup-error.ts'
import { S3Storage } from './s3-storage.ts'

async function startStorage(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  limits: { maxFileBytes?: number } = {},
): Promise<S3Storage> {
  const server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const access = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'key', secretAccessKey: 'secret' } }
  return new S3Storage({ bucket: 'backups', prefix: '' }, access, { idleTimeoutMs: 200, ...limits })
}

async function readAll(storage: S3Storage): Promise<number> {
  let bytes = 0
  for await (const chunk of storage.read('a/file')) bytes += chunk.length
  return bytes
}

test('a response that stops in the middle ends the read', async () => {
  const storage = await startStorage((_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write(Buffer.alloc(500))
  })
  await expect(readAll(storage)).rejects.toThrow(/a\/file cannot be read: nothing arrived for 0.2 seconds/)
})

test('a reader may take longer than the timeout', async () => {
  const storage = await startStorage((_, response) => {
    response.writeHead(200, { 'content-length': '1000000' })
    response.end(Buffer.alloc(1_000_000))
  })
  let bytes = 0
  for await (const chunk of storage.read('a/file')) {
    if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 500))
    bytes += chunk.length
  }
  expect(bytes).toBe(1_000_000)
})

test('a write ends when it is aborted', async () => {
  const requested = Promise.withResolvers<void>()
  const storage = await startStorage((request) => {
    request.resume()
    requested.resolve() // and no response
  })
  const stop = new AbortController()
  async function* content() {
    yield Buffer.from('text')
  }
  const written = storage.write('a/file', content(), stop.signal)
  await requested.promise
  stop.abort(new Error('the process stops'))
  await expect(written).rejects.toThrow('the process stops')
})

test('a file that is larger than a bucket allows is not uploaded completely', async () => {
  const uploaded: string[] = []
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    uploaded.push(`${request.method} ${request.url}`)
    request.resume()
    response.end()
  }
  const storage = await startStorage(respond, { maxFileBytes: 2_000 })
  async function* content(sizeBytes: number) {
    for (let sent = 0; sent < sizeBytes; sent += 500) yield Buffer.alloc(500)
  }
  await storage.write('a/file', content(2_000))
  await expect(storage.write('a/large', content(2_500))).rejects.toBeInstanceOf(BackupFileTooLarge)
  expect(uploaded).toEqual(['PUT /backups/a/file?x-id=PutObject'])
})

test('a key without access is a failure, and not a file that does not exist', async () => {
  const storage = await startStorage((_, response) => response.writeHead(403).end())
  await expect(storage.hasFile('a/file')).rejects.toBeInstanceOf(BackupError)
  const empty = await startStorage((_, response) => response.writeHead(404).end())
  expect(await empty.hasFile('a/file')).toBe(false)
})
