/** Short requests: the dashboard, HTTP/2, headers, the session cookie and the address of the client. */
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { findBinary } from '../../testing/services/find-binary.ts'
import type { ProxyFixture } from './fixture.ts'
import { type ProxiedRequest, sendOverHttp2, sendThrough, valuesOf } from './proxied-client.ts'
import { gatewayName, publicName, type RunningProxy } from './start-proxies.ts'

const clientAddress = '127.0.0.77'
const otherAddress = '127.0.0.78'

export async function checkClients(fixture: ProxyFixture, proxy: RunningProxy): Promise<void> {
  await servesPagesOnce(fixture, proxy)
  await setsSecureCookie(fixture, proxy)
  await reportsClientAddress(fixture, proxy)
  await admitsOnlyRunners(fixture, proxy)
  await keepsQueriesOutOfLogs(fixture, proxy)
}

/** The URL of a log drain can have its secret in the query. */
async function keepsQueriesOutOfLogs({ run }: ProxyFixture, proxy: RunningProxy): Promise<void> {
  const path = '/v1/log-drains/drn_logged'
  await sendThrough(proxy, { method: 'POST', path: `${path}?token=colophon_drain_secret`, body: '{}' })
  if (proxy.name === 'nginx') {
    // The others write no access log. A request is logged after its response.
    const isLogged = () => proxy.readLogs().includes(`"POST ${path} HTTP/`)
    for (const deadline = Date.now() + 5_000; !isLogged() && Date.now() < deadline; ) await sleep(50)
    run.check(isLogged(), `${proxy.name}: the path is logged`)
  }
  run.check(!proxy.readLogs().includes('colophon_drain_secret'), `${proxy.name}: queries are not logged`)
}

async function servesPagesOnce({ run }: ProxyFixture, proxy: RunningProxy): Promise<void> {
  const overHttp2 = await sendOverHttp2(proxy, { path: '/' })
  run.check(
    overHttp2.status === 200 && overHttp2.body.includes('<div id="root">'),
    `${proxy.name}: the dashboard loads over HTTP/2: ${overHttp2.status}`,
  )
  for (const path of ['/', '/readyz', '/v2/session', '/no-such-page']) {
    const response = await sendThrough(proxy, { path })
    const policies = valuesOf(response, 'strict-transport-security')
    run.check(policies.length === 1, `${proxy.name}: ${path} has Strict-Transport-Security once: ${policies.length}`)
    const ids = valuesOf(response, 'x-request-id')
    run.check(ids.length === 1, `${proxy.name}: ${path} has X-Request-Id once: ${ids.length}`)
  }
}

async function setsSecureCookie({ run, owner }: ProxyFixture, proxy: RunningProxy): Promise<void> {
  const origin = `https://${publicName}`
  const response = await sendThrough(proxy, {
    method: 'POST',
    path: '/v2/session',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  })
  const cookies = valuesOf(response, 'set-cookie')
  const session = cookies.find((cookie) => /^__Host-/.test(cookie))
  run.check(
    response.status === 200 && session !== undefined && /; Secure/i.test(session) && /; HttpOnly/i.test(session),
    `${proxy.name}: signing in sets a secure cookie: ${response.status}, ${cookies.map((cookie) => cookie.replace(/=[^;]*/, '=…'))}`,
  )
  const cookie = cookies.map((line) => line.split(';', 1)[0]).join('; ')
  const read = await sendThrough(proxy, { path: '/v2/session', headers: { cookie } })
  run.check(read.body.toString().includes(owner.email), `${proxy.name}: the cookie signs in: ${read.status}`)
}

/** A key with an allowed network works only from there, and no header changes that. */
async function reportsClientAddress({ run, colophon, project }: ProxyFixture, proxy: RunningProxy): Promise<void> {
  const { secret } = await colophon.createKey(project.projectId, { allowedNetworks: [`${clientAddress}/32`] })
  const read = async (from: string, headers: ProxiedRequest['headers'] = {}) => {
    const path = `/v2/agent/${project.projectId}/jobs`
    return (await sendThrough(proxy, { path, from, headers: { authorization: `Bearer ${secret}`, ...headers } })).status
  }
  const own = await read(clientAddress)
  run.check(own === 200, `${proxy.name}: api sees the address of the client: ${own}`)
  const other = await read(otherAddress)
  run.check(other === 403, `${proxy.name}: a key does not work from another address: ${other}`)
  const spoofed: readonly ProxiedRequest['headers'][] = [
    { 'x-forwarded-for': clientAddress },
    { 'x-forwarded-for': `${clientAddress}, ${clientAddress}` },
    { 'x-forwarded-for': `${clientAddress}, 127.0.0.1` },
    { 'x-real-ip': clientAddress },
    { forwarded: `for=${clientAddress}` },
  ]
  for (const headers of spoofed) {
    const status = await read(otherAddress, headers)
    run.check(
      status === 403,
      `${proxy.name}: a client cannot claim another address with ${JSON.stringify(headers)}: ${status}`,
    )
  }
}

async function admitsOnlyRunners(
  { run }: ProxyFixture,
  { name, gatewayPort, authorityPem }: RunningProxy,
): Promise<void> {
  const gateway = { port: gatewayPort, authorityPem }
  const read = (from: string) =>
    sendThrough(gateway, { path: '/readyz', from, host: gatewayName }).then(
      ({ status }) => status,
      () => 'closed' as const,
    )
  const ofRunner = await read('127.0.0.1')
  run.check(ofRunner === 200, `${name}: the gateway can be reached from the address of a runner: ${ofRunner}`)
  const ofOther = await read(otherAddress)
  run.check(
    ofOther === 403 || ofOther === 'closed',
    `${name}: the gateway cannot be reached from elsewhere: ${ofOther}`,
  )
}

export async function opensDashboard({ run, owner }: ProxyFixture, proxy: RunningProxy): Promise<void> {
  const executablePath = findBinary('chromium')
  if (executablePath === undefined) throw new Error('chromium is missing: apt-get install chromium')
  const rules = `MAP ${publicName}:443 127.0.0.1:${proxy.port}`
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', `--host-resolver-rules=${rules}`] })
  try {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage() // of an authority that Chromium does not know
    page.setDefaultTimeout(60_000)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`https://${publicName}/`)
    await page.getByRole('textbox', { name: 'Email' }).fill(owner.email)
    await page.locator('input[type="password"]').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const isSignedIn = await page
      .getByText('Docs')
      .first()
      .waitFor()
      .then(
        () => true,
        () => false,
      )
    run.check(isSignedIn, `${proxy.name}: a person signs in on the dashboard in Chromium`)
    run.check(errors.length === 0, `${proxy.name}: the dashboard has no errors: ${errors.join('; ')}`)
  } finally {
    await browser.close()
  }
}
