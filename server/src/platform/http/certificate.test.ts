import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, expect, test, vi } from 'vitest'
import { selfSignedCertificate } from '../egress/testing/certificate.ts'
import { createLog } from '../log.ts'
import { followRenewals, readCertificate } from './certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-certificate-'))
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true })
})

const [first, second, third] = await Promise.all(
  ['first.example', 'second.example', 'third.example'].map((name) => selfSignedCertificate([name])),
)
type Pair = Awaited<ReturnType<typeof selfSignedCertificate>>

/** As certbot and Kubernetes do: the files are in a directory to which a link leads. */
function link(directory: string, target: string, { cert, key }: Pair): void {
  mkdirSync(join(directory, target), { recursive: true })
  writeFileSync(join(directory, target, 'tls.crt'), cert)
  writeFileSync(join(directory, target, 'tls.key'), key)
  symlinkSync(target, join(directory, 'next'))
  renameSync(join(directory, 'next'), join(directory, 'current'))
}

async function serve(pair: Pair) {
  const directory = mkdtempSync(join(folder, 'case-'))
  link(directory, 'a', pair)
  const files = {
    certificateFile: join(directory, 'current/tls.crt'),
    keyFile: join(directory, 'current/tls.key'),
  }
  const lines: string[] = []
  const log = createLog('test', { level: 'info' }, { write: (line) => void lines.push(line) })
  const current = readCertificate(files)
  const server = createServer(current, (_request, response) => response.end('served'))
  const renewals = followRenewals(server, files, { current, log, intervalMs: 10 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  closing.push(async () => {
    await renewals.stop()
    server.close()
    server.closeAllConnections()
  })
  const readName = async () => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const name = socket.getPeerCertificate().subjectaltname
    socket.destroy()
    return name
  }
  return { port, directory, files, readName, logged: () => lines.join('') }
}

test('uses a renewed certificate for new connections, and keeps those that are open', async () => {
  const { port, directory, readName, logged } = await serve(first as Pair)
  expect(await readName()).toBe('DNS:first.example')
  const open = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(open, 'secureConnect')

  link(directory, 'b', second as Pair)
  await vi.waitFor(async () => expect(await readName()).toBe('DNS:second.example'), 5_000)
  open.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(String((await once(open, 'data'))[0])).toContain('HTTP/1.1 200')
  open.destroy()
  expect(logged()).toContain('using the renewed certificate')
  expect(logged()).toMatch(/"expiresAt":"\d{4}-/)
})

test('keeps the previous certificate while only one of the files is written, or one is missing', async () => {
  const { files, readName, logged } = await serve(first as Pair)
  writeFileSync(files.certificateFile, (third as Pair).cert)
  await vi.waitFor(() => expect(logged()).toContain('cannot use the renewed certificate: keeping the previous one'))
  expect(await readName()).toBe('DNS:first.example')
  writeFileSync(files.keyFile, (third as Pair).key)
  await vi.waitFor(async () => expect(await readName()).toBe('DNS:third.example'), 5_000)
  rmSync(files.keyFile)
  await vi.waitFor(() => expect(logged()).toContain('ENOENT'))
  expect(await readName()).toBe('DNS:third.example')
})

test('a client that resumes a session of the previous certificate gets the new one', async () => {
  const { port, directory, readName } = await serve(first as Pair)
  const request = (agentOptions: object) =>
    new Promise<{ reused: boolean; session: Buffer | undefined }>((resolve, reject) => {
      const call = get(
        { port, host: '127.0.0.1', rejectUnauthorized: false, agent: false, ...agentOptions },
        (response) => {
          const socket = response.socket as TLSSocket
          response.resume().on('end', () => resolve({ reused: socket.isSessionReused(), session: socket.getSession() }))
        },
      ).on('error', reject)
      call.end()
    })
  const { session } = await request({})
  expect((await request({ session })).reused).toBe(true)
  link(directory, 'b', second as Pair)
  await vi.waitFor(async () => expect(await readName()).toBe('DNS:second.example'), 5_000)
  expect((await request({ session })).reused).toBe(false)
})
