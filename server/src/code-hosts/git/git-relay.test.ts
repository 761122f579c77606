import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEgress } from '../../platform/egress/egress.ts'
import { startGitRelay } from './git-relay.ts'

async function start(status = 200) {
  const requests: IncomingMessage[] = []
  const host = createServer((request, response) => {
    requests.push(request)
    request.resume().on('end', () => response.writeHead(status, { 'content-type': 'x/y' }).end('content'))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => host.once('listening', resolve))
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`
  const egress = createEgress({ allowedHosts: [address] })
  const remote = { url: `http://${address}/owner/name.git`, authorization: () => 'Basic c2VjcmV0' }
  const relay = await startGitRelay(remote, egress, new AbortController().signal)
  onTestFinished(async () => {
    relay.close()
    await egress.close()
    host.close()
  })
  const [name = '', secret = ''] = relay.header.split(': ')
  const call = (path: string, request: RequestInit = {}) =>
    fetch(relay.url + path, { ...request, headers: { [name]: secret, cookie: 'x', ...request.headers } })
  return { requests, relay, call }
}

describe('the relay', () => {
  it('adds the token, and forwards only the headers that git needs', async () => {
    const { requests, call } = await start()
    const response = await call('/git-upload-pack', {
      method: 'POST',
      body: 'want',
      headers: { 'git-protocol': 'version=2' },
    })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'x/y',
      'content',
    ])
    expect(requests[0]?.url).toBe('/owner/name.git/git-upload-pack')
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Basic c2VjcmV0', 'git-protocol': 'version=2' })
    expect(Object.keys(requests[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['cookie', 'x-colophon-relay']))
  })

  it('rejects callers without the secret, and all other requests', async () => {
    const { requests, relay, call } = await start()
    for (const headers of [{}, { 'x-colophon-relay': 'f'.repeat(64) }, { 'x-colophon-relay': '' }]) {
      const response = await fetch(`${relay.url}/info/refs?service=git-upload-pack`, { headers })
      expect(response.status).toBe(403)
    }
    for (const path of [
      '/',
      '/../other.git/info/refs',
      '/info/refs',
      '/info/lfs/objects/batch',
      '/info/refs?service=git-upload-pack&x',
    ]) {
      expect((await call(path)).status).toBe(403)
    }
    expect((await call('/git-receive-pack')).status).toBe(403)
    expect(requests).toEqual([])
  })

  it('returns a failure once', async () => {
    const { relay, call } = await start(401)
    expect((await call('/info/refs?service=git-upload-pack')).status).toBe(502)
    expect(relay.popFailure()).toMatchObject({ failure: { kind: 'final', code: 'token_rejected' } })
    expect(relay.popFailure()).toBeUndefined()
  })
})
