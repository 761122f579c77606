/** Those who may not tell of a project's views: with keys that are none, or are another's, and from other sites. */
import { agent, collect, countRows, ingest, jsonHeaders, type Sent, type WatchedSite } from './watched-site.ts'

export async function strangers(site: WatchedSite): Promise<void> {
  const { run, send } = site
  const mine = await site.makeSite('Mine')
  const others = await site.makeSite('Others')
  const at = `/v1/analytics/${mine.projectId}`
  const makeSiteKey = async () => {
    const { status, text } = await send({ path: `${at}/site-keys`, headers: jsonHeaders(mine.key), body: '{}' })
    if (status !== 201) throw new Error(`making a site key: ${status} ${text}`)
    return (JSON.parse(text) as { key: string }).key
  }
  const siteKey = await makeSiteKey()
  const revoked = await makeSiteKey()
  await send({ method: 'DELETE', path: `${at}/site-keys/${revoked}`, headers: jsonHeaders(mine.key) })
  const settings = { allowedOrigins: ['https://docs.example.com'] }
  await send({
    method: 'PATCH',
    path: `${at}/settings`,
    headers: jsonHeaders(mine.key),
    body: JSON.stringify(settings),
  })

  let refusals = 0
  const refused = (status: number, allowed: readonly number[], what: string) => {
    refusals += 1
    run.check(allowed.includes(status), `${what}: ${allowed.join(' or ')}, not ${status}`)
  }
  const views = [{ path: '/stolen', userAgent: agent }]
  const before = await countRows(site)
  const forgedKeys = [
    'site_',
    `site_${'0'.repeat(24)}`,
    `${siteKey}0`,
    siteKey.slice(0, -1),
    siteKey.toUpperCase(),
    revoked,
    mine.key,
    mine.projectId,
    "' OR 1=1 --",
    '../../v2/me',
    'x'.repeat(100_000),
    '\u0000',
    '__proto__',
  ]
  for (const key of forgedKeys) {
    const { status } = await collect(site, { key, id: crypto.randomUUID(), path: '/stolen' })
    refused(status, [400, 404, 413], `a beacon with the key ${JSON.stringify(key.slice(0, 40))}`)
  }
  for (const beacon of ['', '{', 'null', '[]', '"site"', JSON.stringify({ key: [siteKey], id: 'x', path: '/' })]) {
    refused((await collect(site, beacon)).status, [400], `a beacon of ${beacon.slice(0, 20)}`)
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
    const { status } = await collect(site, { key: siteKey, id: crypto.randomUUID(), path: '/stolen' }, { origin })
    refused(status, [403, 404], `a beacon from ${origin}`)
  }
  for (const key of ['', 'colophon_made_up', others.key, siteKey]) {
    const { status } = await ingest(site, { ...mine, key }, views)
    refused(status, key === others.key ? [404] : [401], `views by the key ${key.slice(0, 12)}`)
  }
  const readOnly = await send({
    path: `/v2/projects/${mine.projectId}/keys`,
    headers: jsonHeaders(mine.key),
    body: JSON.stringify({ name: 'reads', scopes: ['analytics:read'] }),
  })
  const { secret } = JSON.parse(readOnly.text) as { secret: string }
  refused((await ingest(site, { ...mine, key: secret }, views)).status, [403], 'views by a key that may only read')
  const reads: Sent[] = ['views', 'views.csv', 'readers', 'settings'].map((name) => ({
    method: 'GET',
    path: `${at}/${name}`,
    headers: jsonHeaders(others.key),
  }))
  for (const read of reads) refused((await send(read)).status, [404], `another project's key at ${read.path}`)

  run.check((await countRows(site)) === before, 'nothing of all that is stored')
  const { status } = await collect(site, { key: siteKey, id: crypto.randomUUID(), path: '/mine' })
  run.check(status === 204, `a beacon with the right key from the right site is taken (${status})`)
  run.figure('forged keys, origins and beacons, all refused with nothing stored', refusals)
}
