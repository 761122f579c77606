/** Senders without permission: forged, revoked and foreign keys, and beacons from other origins. */
import {
  type ApiRequest,
  assistantUserAgent,
  countViewRows,
  type IngestFixture,
  jsonHeaders,
  postViewBeacon,
  postViewEvents,
} from './fixture.ts'

export async function sendUnauthorized(fixture: IngestFixture): Promise<void> {
  const { run, send } = fixture
  const project = await fixture.createProject('Attacked')
  const otherProject = await fixture.createProject('Other')
  const analyticsPath = `/v1/analytics/${project.projectId}`
  const createSiteKey = async () => {
    const { status, text } = await send({
      path: `${analyticsPath}/site-keys`,
      headers: jsonHeaders(project.key),
      body: '{}',
    })
    if (status !== 201) throw new Error(`creating a site key failed: ${status} ${text}`)
    return (JSON.parse(text) as { key: string }).key
  }
  const siteKey = await createSiteKey()
  const revokedKey = await createSiteKey()
  await send({ method: 'DELETE', path: `${analyticsPath}/site-keys/${revokedKey}`, headers: jsonHeaders(project.key) })
  const settings = { allowedOrigins: ['https://docs.example.com'] }
  await send({
    method: 'PATCH',
    path: `${analyticsPath}/settings`,
    headers: jsonHeaders(project.key),
    body: JSON.stringify(settings),
  })

  let rejections = 0
  const checkRejected = (status: number, expected: readonly number[], name: string) => {
    rejections += 1
    run.check(expected.includes(status), `${name}: ${expected.join(' or ')}, got ${status}`)
  }
  const views = [{ path: '/stolen', userAgent: assistantUserAgent }]
  const before = await countViewRows(fixture)
  const forgedKeys = [
    'site_',
    `site_${'0'.repeat(24)}`,
    `${siteKey}0`,
    siteKey.slice(0, -1),
    siteKey.toUpperCase(),
    revokedKey,
    project.key,
    project.projectId,
    "' OR 1=1 --",
    '../../v2/me',
    'x'.repeat(100_000),
    '\u0000',
    '__proto__',
  ]
  for (const key of forgedKeys) {
    const { status } = await postViewBeacon(fixture, { key, id: crypto.randomUUID(), path: '/stolen' })
    checkRejected(status, [400, 404, 413], `a beacon with the key ${JSON.stringify(key.slice(0, 40))}`)
  }
  for (const beacon of ['', '{', 'null', '[]', '"site"', JSON.stringify({ key: [siteKey], id: 'x', path: '/' })]) {
    checkRejected((await postViewBeacon(fixture, beacon)).status, [400], `the malformed beacon ${beacon.slice(0, 20)}`)
  }
  const forgedOrigins = [
    'https://evil.example',
    'https://docs.example.com.evil.example',
    'https://evil.example/docs.example.com',
    'http://docs.example.com',
    'https://docs.example.com:8443',
    'null',
    'https://docs.example.com@evil.example',
  ]
  for (const origin of forgedOrigins) {
    const { status } = await postViewBeacon(
      fixture,
      { key: siteKey, id: crypto.randomUUID(), path: '/stolen' },
      { origin },
    )
    checkRejected(status, [403, 404], `a beacon from ${origin}`)
  }
  for (const key of ['', 'colophon_forged', otherProject.key, siteKey]) {
    const { status } = await postViewEvents(fixture, { ...project, key }, views)
    checkRejected(status, key === otherProject.key ? [404] : [401], `ingest with the key ${key.slice(0, 12)}`)
  }
  const readOnly = await send({
    path: `/v2/projects/${project.projectId}/keys`,
    headers: jsonHeaders(project.key),
    body: JSON.stringify({ name: 'read only', scopes: ['analytics:read'] }),
  })
  const { secret } = JSON.parse(readOnly.text) as { secret: string }
  checkRejected(
    (await postViewEvents(fixture, { ...project, key: secret }, views)).status,
    [403],
    'ingest with a read-only key',
  )
  const reads: ApiRequest[] = ['views', 'views.csv', 'clients', 'settings'].map((name) => ({
    method: 'GET',
    path: `${analyticsPath}/${name}`,
    headers: jsonHeaders(otherProject.key),
  }))
  for (const read of reads) checkRejected((await send(read)).status, [404], `another project's key at ${read.path}`)

  run.check((await countViewRows(fixture)) === before, 'no row is stored')
  const { status } = await postViewBeacon(fixture, { key: siteKey, id: crypto.randomUUID(), path: '/allowed' })
  run.check(status === 204, `a beacon with the site key from an allowed origin gets 204, got ${status}`)
  run.figure('forged keys, origins and beacons, all rejected with nothing stored', rejections)
}
