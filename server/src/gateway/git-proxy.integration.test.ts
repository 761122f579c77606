/** Tests the git proxy with the real git client, PostgreSQL and Gitea. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { type ClaimedTurn, createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import type { GitRemote } from '../code-hosts/code-host.ts'
import { craftCommit } from '../code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { baseFiles } from '../code-hosts/testing/host-test-repository.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import { generateKey } from '../keys/key-format.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBodyParser } from '../platform/http/json-body.ts'
import type { Id } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { addGitProxy } from './git-proxy.ts'

const egress = createEgress({ allowedNetworks: ['127.0.0.1/32'] })
let instance: TestInstance
let repository: GiteaTestRepository
let other: GiteaTestRepository
let gateway: HttpServer
let url: string
let turn: ClaimedTurn
let projectId: Id<'prj'>
let directory: string
/** By project. */
const remotes = new Map<Id<'prj'>, () => Promise<GitRemote>>()
const logLines: string[] = []

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'git-read')
  ;[repository, other] = await Promise.all([
    createGiteaTestRepository(inject('services').gitea),
    createGiteaTestRepository(inject('services').gitea),
  ])
  const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
  gateway = createHttpServer(http, createLog('test', { level: 'warn' }, { write: (line) => void logLines.push(line) }))
  addJsonBodyParser(gateway)
  addGitProxy(gateway, {
    attempts: new AttemptStore(instance.database),
    openRemote: async (project) => remotes.get(project)?.(),
    egress,
  })
  url = await gateway.listen(http.listen)
  directory = await mkdtemp(join(tmpdir(), 'colophon-git-read-'))
})
afterAll(async () => {
  await gateway.close()
  await egress.close()
  await Promise.all([repository.remove(), other.remove(), instance.drop()])
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
  remotes.set(projectId, repository.host.gitRemote)
  turn = await createClaimedTurn(instance, projectId, 'm')
})

const run = promisify(execFile)
let clones = 0
const newDirectory = () => join(directory, `clone-${++clones}`)

function git(token: string, ...args: string[]) {
  const settings = [`http.extraHeader=Authorization: Bearer ${token}`, 'user.name=A', 'user.email=a@example.com']
  return run('git', [...settings.flatMap((setting) => ['-c', setting]), ...args], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', GIT_TERMINAL_PROMPT: '0' },
  })
}

const get = (path: string, token: string = turn.attemptToken, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })

const refs = '/git/info/refs?service=git-upload-pack'
const uploadPack = (body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
  get('/git/git-upload-pack', turn.attemptToken, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2', ...headers },
    body,
  })
const lsRefs = '0014command=ls-refs\n0000'

test.each([0, 1, 2])('git can clone, fetch and list refs with protocol version %i', async (version) => {
  const clone = newDirectory()
  const token = turn.attemptToken
  const protocol = ['-c', `protocol.version=${version}`]
  await git(token, ...protocol, 'clone', '--quiet', '--depth=1', '--branch=main', `${url}/git`, clone)
  expect(await readFile(join(clone, 'docs/index.md'), 'utf8')).toBe(baseFiles['docs/index.md'])
  const later = craftCommit({ ...baseFiles, [`docs/version-${version}.md`]: 'new' }, [repository.base.id])
  await repository.pushAsPerson(later, `later-${version}`)
  await git(token, ...protocol, '-C', clone, 'fetch', '--quiet', 'origin', `later-${version}`)
  expect((await git(token, '-C', clone, 'rev-parse', 'FETCH_HEAD')).stdout.trim()).toBe(later.id)
  expect((await git(token, ...protocol, 'ls-remote', `${url}/git`)).stdout).toContain('refs/heads/main')
})

test('git cannot push with any protocol version', async () => {
  const clone = newDirectory()
  await git(turn.attemptToken, 'clone', '--quiet', `${url}/git`, clone)
  await writeFile(join(clone, 'README.md'), 'changed')
  await git(turn.attemptToken, '-C', clone, 'commit', '--quiet', '--all', '-m', 'Change')
  for (const options of [[], ['-c', 'protocol.version=0'], ['-c', 'http.postBuffer=1000']])
    await expect(
      git(turn.attemptToken, ...options, '-C', clone, 'push', 'origin', 'HEAD:refs/heads/mine'),
    ).rejects.toThrow(/403/)
  expect(await repository.host.branchHead('mine')).toBeUndefined()
})

test('decompresses a gzip body', async () => {
  for (const [body, headers] of [
    [lsRefs, {}],
    [gzipSync(lsRefs), { 'content-encoding': 'gzip' }],
  ] as const) {
    const response = await uploadPack(body, headers)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('refs/heads/main')])
  }
  // With so many commits git compresses its request.
  const clone = newDirectory()
  await git(turn.attemptToken, 'clone', '--quiet', `${url}/git`, clone)
  for (let index = 0; index < 25; index++)
    await git(turn.attemptToken, '-C', clone, 'commit', '--quiet', '--allow-empty', '-m', `${index}`)
  const later = craftCommit({ ...baseFiles, 'docs/later.md': 'new' }, [repository.base.id])
  await repository.pushAsPerson(later, 'much-later')
  await git(turn.attemptToken, '-C', clone, 'fetch', '--quiet', 'origin', 'much-later')
})

test('rejects a body that is too large, compressed or not', async () => {
  const large = Buffer.alloc(9 * 1024 * 1024)
  expect((await uploadPack(large)).status).toBe(413)
  expect((await uploadPack(gzipSync(large), { 'content-encoding': 'gzip' })).status).toBe(413)
  expect((await uploadPack('not gzip', { 'content-encoding': 'gzip' })).status).toBe(400)
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd'])
    expect((await uploadPack(lsRefs, { 'content-encoding': encoding })).status).toBe(415)
})

test('requires the token of a live attempt', async () => {
  const invalidTokens = [
    'x',
    generateKey('colophon_attempt_'),
    generateKey('colophon_runner_'),
    generateKey('colophon_'),
  ]
  for (const token of invalidTokens) expect((await get(refs, token)).status).toBe(401)
  expect((await fetch(url + refs)).status).toBe(401)
  await expect(git(invalidTokens[1] ?? '', 'ls-remote', `${url}/git`)).rejects.toThrow()
  await instance.pool.query("UPDATE job SET pending_stop = 'cancel' WHERE id = $1", [turn.jobId])
  expect((await get(refs)).status).toBe(403)
  await instance.pool.query('UPDATE turn_attempt SET ended_at = now() WHERE turn_id = $1', [turn.turnId])
  expect((await get(refs)).status).toBe(401)
})

test('serves only the two calls of a fetch, and only for the repository of the turn', async () => {
  const otherPath = `${other.owner}/${other.name}.git`
  for (const path of [
    '/git/info/refs',
    '/git/info/refs?service=git-receive-pack',
    '/git/info/refs?service=git-upload-pack&service=git-receive-pack',
    '/git/info/refs?service=git-upload-pack%00',
    '/git/info/refs?service=git-upload-archive',
    `/git/info/refs?service=git-upload-pack&path=/${otherPath}`,
  ])
    expect([path, (await get(path)).status]).toEqual([path, 403])
  for (const path of [
    '/git/HEAD',
    '/git/objects/info/packs',
    '/git/info/lfs/objects/batch',
    '/git/git-receive-pack',
    `/git/${otherPath}/info/refs?service=git-upload-pack`,
    `/git/..%2f${otherPath.replaceAll('/', '%2f')}/info/refs?service=git-upload-pack`,
    '/git/config',
    '/git/',
  ])
    for (const method of ['GET', 'POST', 'PUT'])
      expect((await get(path, turn.attemptToken, { method })).status).toBe(404)
  expect((await get(refs, turn.attemptToken, { method: 'HEAD' })).status).toBe(405)
})

test('reports a missing repository and a rejected code host token without details', async () => {
  remotes.delete(projectId)
  expect((await get(refs)).status).toBe(404)
  remotes.set(projectId, repository.hostWithToken('f'.repeat(40)).gitRemote)
  const rejected = await get(refs)
  expect([rejected.status, await rejected.text()]).toEqual([403, expect.not.stringContaining(repository.name)])
  remotes.set(projectId, async () => ({ url: 'http://127.0.0.1:9/a.git', authorization: () => 'Basic x' }))
  const unavailable = await get(refs)
  expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '5'])
})

async function simulateHost(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/b.git`
  remotes.set(projectId, async () => ({ url: address, authorization: () => 'Basic dGhlIHRva2Vu' }))
}

test('forwards only the git protocol version of the client headers', async () => {
  const requests: IncomingMessage[] = []
  await simulateHost((request, response) => {
    requests.push(request)
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end('x'))
  })
  const evil = { cookie: 'evil', 'x-evil': 'evil', accept: 'evil', 'user-agent': 'evil', 'x-forwarded-for': '1.1.1.1' }
  expect(await (await uploadPack(lsRefs, { ...evil, 'content-type': 'evil/evil' })).text()).toBe('x')
  await uploadPack(lsRefs, { 'git-protocol': 'version=2:evil' })
  expect(requests.map(({ url }) => url)).toEqual(['/a/b.git/git-upload-pack', '/a/b.git/git-upload-pack'])
  expect(requests.map(({ headers }) => headers['git-protocol'])).toEqual(['version=2', undefined])
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Basic dGhlIHRva2Vu',
    'content-length': String(lsRefs.length),
  })
  expect(JSON.stringify(requests.map(({ headers }) => headers))).not.toMatch(/evil|colophon_attempt|1\.1\.1\.1/)
})

test('does not forward redirects, other content types or interrupted responses as a repository', async () => {
  await simulateHost((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
  const redirected = await get(refs)
  expect([redirected.status, redirected.headers.get('location')]).toEqual([403, null])
  await simulateHost((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<form>'))
  expect((await get(refs)).status).toBe(503)
  await simulateHost((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).write('001e')
    setTimeout(() => response.destroy(), 50)
  })
  await expect(get(refs).then((response) => response.text())).rejects.toThrow()
  expect(logLines.join('')).not.toContain('dGhlIHRva2Vu')
})

test('aborts the call to the code host when git disconnects', async () => {
  const closed = Promise.withResolvers<void>()
  await simulateHost((_request, response) => {
    response.on('close', closed.resolve)
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).write('001e')
  })
  const disconnect = new AbortController()
  const response = await get(refs, turn.attemptToken, { signal: disconnect.signal })
  await response.body?.getReader().read()
  disconnect.abort()
  await closed.promise
})
