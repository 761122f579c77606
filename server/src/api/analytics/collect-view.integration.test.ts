import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'collect')
afterAll(() => api.drop())

const operator = { kind: 'operator' } as const
const settings = api.stores.analyticsSettings
const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

async function createSite(changes: Parameters<typeof settings.change>[1] = {}) {
  const { projectId } = await api.createProject()
  await settings.change(projectId, changes, operator)
  return { projectId, ...(await settings.createSiteKey(projectId, operator)) }
}

let sent = 0
const beacon = (more: object) => ({ id: `view-${sent++}`, path: '/docs/start', ...more })

async function send(body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${api.url}/v1/collect`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': person, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect(response.headers.get('set-cookie')).toBe(null)
  if (response.status === 204) expect(await response.text()).toBe('')
  return response.status
}

async function pathsOf(projectId: string): Promise<unknown[]> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch ORDER BY id')
  const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
  return lines.map((line) => JSON.parse(line) as unknown[]).flatMap(([id, , path]) => (id === projectId ? [path] : []))
}

test('counts a human view once per ID', async () => {
  const { projectId, key } = await createSite()
  const view = beacon({ key, path: '/docs/start/' })
  expect(await Promise.all([send(view), send(view), send(view)])).toEqual([204, 204, 204])
  expect(await send(beacon({ key, path: '/b' }), { 'content-type': 'application/json' })).toBe(204)
  expect(await pathsOf(projectId)).toEqual(['/docs/start', '/b'])
})

test('responds with 204 also to bots and to paths that are not pages', async () => {
  const { projectId, key } = await createSite()
  expect(await send(beacon({ key }), { 'user-agent': 'GPTBot/1.2' })).toBe(204)
  expect(await send(beacon({ key, path: '/a.png' }))).toBe(204)
  expect(await send(beacon({ key, path: 'nowhere' }))).toBe(204)
  expect(await pathsOf(projectId)).toEqual([])
})

test('does not count clients that opted out, unless the project ignores that', async () => {
  const respecting = await createSite()
  const ignoring = await createSite({ respectDoNotTrack: false })
  for (const { key } of [respecting, ignoring]) {
    expect(await send(beacon({ key }), { dnt: '1' })).toBe(204)
    expect(await send(beacon({ key }), { 'sec-gpc': '1' })).toBe(204)
  }
  expect(await pathsOf(respecting.projectId)).toHaveLength(0)
  expect(await pathsOf(ignoring.projectId)).toHaveLength(2)
})

test('rejects other origins if the project lists allowed origins', async () => {
  const { projectId, key } = await createSite({ allowedOrigins: ['https://docs.example.com'] })
  expect(await send(beacon({ key }), { origin: 'https://docs.example.com' })).toBe(204)
  expect(await send(beacon({ key }), { origin: 'https://docs.example.com.evil.example' })).toBe(403)
  expect(await send(beacon({ key }), { origin: 'null' })).toBe(403)
  expect(await send(beacon({ key }))).toBe(403)
  expect(await pathsOf(projectId)).toHaveLength(1)
})

test('rejects unknown and revoked keys', async () => {
  const { projectId, key } = await createSite()
  await settings.revokeSiteKey(projectId, key, operator)
  expect(await send(beacon({ key }))).toBe(404)
  expect(await send(beacon({ key: 'site_madeup' }))).toBe(404)
})

test.each([
  ['', 400],
  ['{', 400],
  ['[]', 400],
  [{ key: 'site_x', path: '/a' }, 400],
  [{ key: 'site_x', id: '', path: '/a' }, 400],
  [{ key: 'site_x', id: 'a b', path: '/a' }, 400],
  [{ key: 'site_x', id: 'a', path: '/a', at: '2020-01-01T00:00:00Z' }, 400],
  [{ key: 'site_x', id: 'a', path: `/${'a'.repeat(20_000)}` }, 413],
])('rejects %j with %i', async (body, status) => {
  expect(await send(body)).toBe(status)
})

test('rejects other media types and compression', async () => {
  expect(await send('key=a', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415)
  expect(await send('{}', { 'content-encoding': 'gzip' })).toBe(415)
})

test('drops the views of a network, or of a project, that sends too many', async () => {
  const limited = await startTestApi(inject('services'), 'collect limits', {
    COLOPHON_TRUSTED_PROXIES: '127.0.0.1',
    COLOPHON_BEACONS_MAX_PER_SECOND_PER_NETWORK: '1',
    COLOPHON_BEACONS_MAX_PER_SECOND_PER_PROJECT: '2',
    COLOPHON_BEACONS_MAX_PER_DAY_PER_PROJECT: '12',
  })
  onTestFinished(() => limited.drop())
  const createSiteKey = async () => {
    const { projectId } = await limited.createProject()
    return { projectId, ...(await limited.stores.analyticsSettings.createSiteKey(projectId, operator)) }
  }
  const sendFrom = (key: string, network: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${limited.url}/v1/collect`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'user-agent': person, 'x-forwarded-for': network },
          body: JSON.stringify(beacon({ key })),
        }).then(({ status }) => expect(status).toBe(204)),
      ),
    )
  const countedOf = async (projectId: string) => {
    const { rows } = await limited.pool.query<{ body: Buffer }>('SELECT body FROM view_batch')
    const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
    return lines.filter((line) => line.includes(projectId)).length
  }
  const site = await createSiteKey()
  await sendFrom(site.key, '8.8.8.8', 8) // a burst of five seconds
  expect(await countedOf(site.projectId)).toBe(5)
  for (const network of ['9.9.9.9', '1.1.1.1']) await sendFrom(site.key, network, 5)
  expect(await countedOf(site.projectId)).toBeLessThanOrEqual(11) // the burst of the project is 10
  const internal = await createSiteKey()
  await sendFrom(internal.key, '10.0.0.1', 10)
  expect(await countedOf(internal.projectId)).toBe(10)
  await sleep(3_000) // the bucket has six more tokens
  for (let view = 0; view < 4; view++) await sendFrom(internal.key, '10.0.0.1', 1)
  expect(await countedOf(internal.projectId)).toBe(12)
})
