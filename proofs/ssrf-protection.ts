/**
 * Tries to reach internal addresses through the egress. An address counts as reached if a listener on loopback accepted a
 * connection, or if this process started to open one; both are measured outside the code under test. Nothing leaves the
 * machine: connections to other addresses are recorded and blocked.
 *
 * With `-- without-check`, `-- without-pin` or `-- following-redirects` the proof tests a weakened egress, and must fail.
 */
import type { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createTlsServer, request as httpsRequest } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { egressOptionsFor } from '../server/src/platform/egress/create-egress-for.ts'
import { createEgress, type Egress, type EgressOptions } from '../server/src/platform/egress/egress.ts'
import { EgressError } from '../server/src/platform/egress/egress-error.ts'
import { selfSignedCertificate } from '../server/src/platform/egress/testing/certificate.ts'
import { startConnectProxy } from '../server/src/platform/egress/testing/connect-proxy.ts'
import {
  type ConnectionAttempts,
  recordConnectionAttempts,
} from '../server/src/platform/egress/testing/connection-attempts.ts'
import { startDnsServer } from '../server/src/platform/egress/testing/dns-server.ts'
import {
  deceptiveUrls,
  dnsRecords,
  examplePublicAddress,
  internalHosts,
} from '../server/src/platform/egress/testing/internal-hosts.ts'
import {
  embedInIPv6,
  obfuscateIPv4Address,
  pickRandom,
  randomAddress,
  sampleInternalNetworks,
  samplePublicNetworks,
} from '../server/src/platform/egress/testing/random-hosts.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'No URL that a user enters leads to an internal address, unless the settings allow it'

type Fixture = {
  run: ProofRun
  open: (options: EgressOptions) => Egress
  attempts: ConnectionAttempts
  listeners: Listeners
  dns: Resolver
  /** The successive DNS responses for a name. The last one is repeated. */
  changingNames: Map<string, string[]>
}

export async function prove(run: ProofRun): Promise<void> {
  const attempts = await recordConnectionAttempts()
  run.cleanUp(async () => attempts.stop())
  const listeners = await startListeners(run)
  const changingNames = new Map<string, string[]>()
  const { dns, stop } = await startDnsServer((name, family) => {
    const responses = changingNames.get(name)
    if (responses)
      return family === 4 ? [(responses.length > 1 ? responses.shift() : responses[0]) ?? examplePublicAddress] : []
    return (dnsRecords[name] ?? []).filter((address) => address.includes(':') === (family === 6))
  })
  run.cleanUp(stop)

  const fixture: Fixture = { run, open: createEgressOpener(run), attempts, listeners, dns, changingNames }
  await rejectsInternalHosts(fixture)
  await rejectsRandomInternalAddresses(fixture)
  await honorsAllowedHosts(fixture)
  await keepsUsesApart(fixture)
  await resistsDnsRebinding(fixture)
  await ignoresRedirects(fixture)
  await checksBeforeProxy(fixture)
}

async function rejectsInternalHosts({ run, open, attempts, listeners, dns }: Fixture): Promise<void> {
  const hosts = [...internalHosts, ...localInterfaceHosts()]
  const deceptive = deceptiveUrls(listeners.port)
  run.log(`${hosts.length} hosts and ${deceptive.length} deceptive URLs`)
  const egress = open({ dns })
  for (const { host, address } of hosts) {
    for (const scheme of ['https', 'http']) {
      const code = await codeOf(egress.fetch(`${scheme}://${host}:${listeners.port}/`))
      run.check(code === 'address_not_allowed', `${scheme}://${host} (${address}) is rejected: ${code}`)
    }
  }
  for (const url of deceptive) {
    const code = await codeOf(egress.fetch(url))
    run.check(isRejection(code), `${JSON.stringify(url)} is rejected: ${code}`)
  }
  await settle()
  run.check(
    attempts.addresses.length === 0,
    `no connection to an internal host is opened: ${attempts.addresses.join(' ')}`,
  )
  run.check(listeners.reachedCount() === 0, `no listener is reached: ${listeners.reachedCount()}`)
  run.figure('internal hosts and deceptive URLs', hosts.length + deceptive.length)
  run.figure('connections opened to internal hosts', attempts.addresses.length)
  run.figure('listeners reached through internal hosts', listeners.reachedCount())

  run.log('the same hosts, with their addresses allowed by the operator')
  const permissiveEgress = open({ dns, allowedNetworks: hosts.map(({ address }) => address) })
  for (const { host, address } of hosts) {
    attempts.clear()
    const reachedBefore = listeners.reachedCount()
    await codeOf(permissiveEgress.fetch(`https://${host}:${listeners.port}/`))
    run.check(
      attempts.addresses.includes(address),
      `${host} is called at ${address} when allowed: ${attempts.addresses.join(' ')}`,
    )
    if (listeners.hasListener(address)) {
      await settle()
      run.check(listeners.reachedCount() > reachedBefore, `${host} reaches a listener when allowed`)
    }
  }
  run.figure('connections accepted when the operator allows the same hosts', listeners.reachedCount())
}

async function rejectsRandomInternalAddresses({ run, open, attempts, listeners, dns }: Fixture): Promise<void> {
  const count = { ci: 500, stated: 5000, full: 50_000 }[run.size]
  run.log(`${count} random internal addresses in random notations`)
  const egress = open({ dns })
  attempts.clear()
  const notRejected: string[] = []
  for (let index = 0; index < count; index += 1) {
    const format = pickRandom(run.random, [obfuscateIPv4Address, embedInIPv6])
    const host = format(run.random, randomAddress(run.random, sampleInternalNetworks))
    const code = await codeOf(egress.fetch(`https://${host}:${listeners.port}/`))
    if (code !== 'address_not_allowed') notRejected.push(`${host} ${code}`)
  }
  run.check(
    notRejected.length === 0,
    `every random internal address is rejected: ${notRejected.length} are not, such as ${notRejected.slice(0, 3).join(', ')}`,
  )
  run.check(
    attempts.addresses.length === 0,
    `no connection to a random internal address is opened: ${attempts.addresses.slice(0, 3).join(' ')}`,
  )
  run.figure('random internal addresses rejected', `${count - notRejected.length} of ${count}`)

  const publicCount = count / 10
  const notCalled: string[] = []
  for (let index = 0; index < publicCount; index += 1) {
    attempts.clear()
    const address = randomAddress(run.random, samplePublicNetworks)
    const host = obfuscateIPv4Address(run.random, address)
    await codeOf(egress.fetch(`https://${host}/`))
    if (attempts.addresses.join() !== address) notCalled.push(`${host} (${address})`)
  }
  run.check(
    notCalled.length === 0,
    `every random public address is called: ${notCalled.length} are not, such as ${notCalled.slice(0, 3).join(', ')}`,
  )
  run.figure('random public addresses called', `${publicCount - notCalled.length} of ${publicCount}`)
}

async function honorsAllowedHosts({ run, open, listeners: { port }, dns }: Fixture): Promise<void> {
  run.log('allowed by the operator: listed hosts are reachable, similar ones are rejected')
  const cases: [EgressOptions, host: string, expected: string][] = [
    [{ allowedNetworks: ['127.0.0.0/8'] }, '127.1', 'internal'],
    [{ allowedNetworks: ['127.0.0.0/8'] }, '[::ffff:127.0.0.1]', 'internal'],
    [{ allowedNetworks: ['127.0.0.0/8'] }, 'inside.example', 'internal'],
    [{ allowedNetworks: ['::1'] }, '[::1]', 'internal'],
    [{ allowedHosts: [`inside.example:${port}`] }, 'inside.example', 'internal'],
    [{ allowedHosts: [`127.0.0.1:${port}`] }, '0x7f.1', 'internal'],
    [{ allowedHosts: [`inside.example:${port}`] }, '127.0.0.1', 'address_not_allowed'],
    [{ allowedHosts: ['inside.example:1'] }, 'inside.example', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.2', '::1'] }, '127.0.0.1', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.1'] }, '[::1]', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.1'] }, 'both.example', 'scheme_not_allowed'],
  ]
  for (const [options, host, expected] of cases) {
    const result = await textOf(open({ dns, ...options }).fetch(`http://${host}:${port}/`))
    run.check(result === expected, `${host} with ${JSON.stringify(options)} gives ${expected}: ${result}`)
  }
}

/** A project can enter any address as its code host. */
async function keepsUsesApart({ run, open, attempts, listeners: { port }, dns }: Fixture): Promise<void> {
  run.log('internal hosts that are allowed for one use')
  const config = {
    allowedFor: {
      codeHosts: ['127.0.0.1:1'],
      models: [`inside.example:${port}`],
      webhooks: [],
      issuers: [],
      auditWebhook: [],
    },
    allowedHosts: [],
    allowedNetworks: [],
    proxyUrl: undefined,
    caBundlePem: undefined,
  }
  const model = `http://inside.example:${port}/`
  const asModel = await textOf(open({ dns, ...egressOptionsFor('models', config) }).fetch(model))
  run.check(asModel === 'internal', `an allowed model is called as a model: ${asModel}`)
  attempts.clear()
  for (const use of ['codeHosts', 'webhooks', 'issuers', 'auditWebhook'] as const) {
    const result = await textOf(open({ dns, ...egressOptionsFor(use, config) }).fetch(model))
    run.check(result === 'address_not_allowed', `an allowed model is not called for ${use}: ${result}`)
  }
  const otherPort = await textOf(
    open({ dns, ...egressOptionsFor('codeHosts', config) }).fetch(`http://127.0.0.1:${port}/`),
  )
  run.check(otherPort === 'address_not_allowed', `another port of an allowed code host is not called: ${otherPort}`)
  run.check(attempts.addresses.length === 0, `no connection is opened for another use: ${attempts.addresses.join(' ')}`)
}

async function resistsDnsRebinding({ run, open, attempts, listeners, dns, changingNames }: Fixture): Promise<void> {
  const rounds = { ci: 30, stated: 300, full: 3000 }[run.size]
  run.log(`${rounds * 3} names whose DNS response changes between check and call`)
  const egress = open({ dns })
  const registerName = (name: string, responses: string[]) => {
    changingNames.set(`${name}.example`, responses)
    return `//${name}.example:${listeners.port}/`
  }
  const reachedBefore = listeners.reachedCount()
  const failures: string[] = []
  const expect = (ok: boolean, message: string) => {
    if (!ok) failures.push(`${message}: ${attempts.addresses.join(' ')}`)
    attempts.clear()
  }
  attempts.clear()
  for (let round = 0; round < rounds; round += 1) {
    const once = `https:${registerName(`once-${round}`, [examplePublicAddress, '127.0.0.1'])}`
    await codeOf(egress.fetch(once))
    expect(attempts.addresses.join() === examplePublicAddress, 'the checked address is called')
    const code = await codeOf(egress.fetch(once))
    expect(code === 'address_not_allowed' && attempts.addresses.length === 0, `the next call is rejected (${code})`)

    const early = `https:${registerName(`early-${round}`, [examplePublicAddress, '127.0.0.1'])}`
    await egress.check(early)
    await codeOf(egress.fetch(early))
    expect(attempts.addresses.length === 0, 'an earlier check does not count for a later call')

    const responses = Array.from({ length: 12 }, () =>
      pickRandom(run.random, [examplePublicAddress, '127.0.0.1', '169.254.169.254']),
    )
    const alternating = `https:${registerName(`alternating-${round}`, responses)}`
    await Promise.all(Array.from({ length: 8 }, () => codeOf(egress.fetch(alternating))))
    expect(
      attempts.addresses.every((address) => address === examplePublicAddress),
      'only public addresses are called',
    )
  }
  await settle()
  run.check(
    failures.length === 0,
    `DNS changes never redirect a call: ${failures.length} failures in ${rounds} rounds, such as ${failures.slice(0, 3).join('; ')}`,
  )
  run.check(listeners.reachedCount() === reachedBefore, 'no name with changing DNS responses reaches a listener')
  run.figure('names with changing DNS responses', rounds * 3)
  run.figure('calls redirected by a DNS change', failures.length)

  // A keep-alive connection stays at its checked address, whatever its name resolves to now.
  const keepAliveEgress = open({ dns, allowedNetworks: [listeners.listed] })
  const keptUrl = `http:${registerName('kept', [listeners.listed, '127.0.0.1'])}`
  attempts.clear()
  for (let call = 1; call <= 3; call += 1) {
    const result = await textOf(keepAliveEgress.fetch(keptUrl))
    run.check(result === 'listed', `call ${call} on a keep-alive connection reaches the allowed listener: ${result}`)
    await settle()
  }
  run.check(
    attempts.addresses.join() === listeners.listed,
    `the calls share one connection: ${attempts.addresses.join(' ')}`,
  )
  listeners.closeConnections()
  await settle()
  const afterwards = await codeOf(keepAliveEgress.fetch(keptUrl))
  run.check(afterwards === 'address_not_allowed', `a new connection is checked again: ${afterwards}`)

  const reachedBeforeControl = listeners.reachedCount('127.0.0.1')
  await codeOf(
    withoutPin(open({ dns }), dns).fetch(`https:${registerName('control', [examplePublicAddress, '127.0.0.1'])}`),
  )
  await settle()
  run.check(
    listeners.reachedCount('127.0.0.1') > reachedBeforeControl,
    'control: an egress that resolves the name twice reaches an internal address',
  )
}

async function ignoresRedirects({ run, open, attempts, listeners, dns }: Fixture): Promise<void> {
  const { port } = listeners
  const listed = `http://${listeners.listed}:${port}`
  const locations = [
    `http://127.0.0.1:${port}/`,
    `//2130706433:${port}/`,
    `http://[::1]:${port}/x`,
    `http://localhost:${port}/`,
    `https://inside.example:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]
  const statuses = [201, 300, 301, 302, 303, 304, 305, 307, 308]
  run.log(`${statuses.length * locations.length} redirects from an allowed server to internal addresses`)
  const egress = open({ dns, allowedNetworks: [listeners.listed] })
  let followed = 0
  for (const status of statuses) {
    for (const location of locations) {
      attempts.clear()
      const call = egress.fetch(`${listed}/${status}?${encodeURIComponent(location)}`, { method: 'POST', body: 'x' })
      const result = await call.then(({ status, headers }) => `${status} ${headers.get('location')}`, codeFrom)
      run.check(result === `${status} ${location}`, `${status} to ${location} is returned unchanged: ${result}`)
      const otherAddresses = attempts.addresses.filter((address) => address !== listeners.listed)
      followed += otherAddresses.length
      run.check(otherAddresses.length === 0, `${status} to ${location} is not followed: ${otherAddresses.join(' ')}`)
      const code = await codeOf(egress.fetch(new URL(location, listed)))
      run.check(isRejection(code), `fetching ${location} afterwards is rejected: ${code}`)
    }
  }
  run.figure('redirects to internal addresses', statuses.length * locations.length)
  run.figure('redirects followed', followed)

  const reachedBefore = listeners.reachedCount('127.0.0.1')
  const follower = followingRedirects(createEgress({ dns, allowedNetworks: ['127.0.0.0/8'] }))
  await codeOf(follower.fetch(`${listed}/302?${encodeURIComponent(`http://127.0.0.1:${port}/`)}`))
  await follower.close()
  run.check(
    listeners.reachedCount('127.0.0.1') > reachedBefore,
    'control: an egress that follows redirects reaches an internal address',
  )
}

async function checksBeforeProxy({ run, open, attempts, listeners, dns, changingNames }: Fixture): Promise<void> {
  run.log("the operator's proxy, and hostile proxies")
  const certificate = await selfSignedCertificate(['outside.example', 'changing.example'])
  const outsideServer = createTlsServer(certificate, (_, response) => void response.end('outside'))
  const proxy = await startConnectProxy(await listen(run, outsideServer, 0, '127.0.0.1'))
  run.cleanUp(proxy.stop)
  const egress = open({ dns, proxyUrl: `http://127.0.0.1:${proxy.port}`, caBundlePem: certificate.cert })

  const result = await textOf(egress.fetch('https://outside.example/'))
  run.check(result === 'outside', `a public host is reached through the proxy: ${result}`)
  changingNames.set('changing.example', [examplePublicAddress, '127.0.0.1'])
  await codeOf(egress.fetch('https://changing.example/'))
  const proxyRequests = proxy.requests.splice(0).map(({ method, target }) => `${method} ${target}`)
  const byAddress = `CONNECT ${examplePublicAddress}:443`
  run.check(
    proxyRequests.join() === `${byAddress},${byAddress}`,
    `the proxy receives addresses, never names: ${proxyRequests.join()}`,
  )

  attempts.clear()
  const urls = internalHosts.map(({ host }) => `https://${host}:${listeners.port}/`)
  urls.push(`https://127.0.0.1:${proxy.port}/`, `http://127.0.0.1:${proxy.port}/`) // the proxy's own address
  for (const url of urls) {
    const code = await codeOf(egress.fetch(url))
    run.check(code === 'address_not_allowed', `${url} is rejected with a proxy: ${code}`)
  }
  await settle()
  const proxied = attempts.addresses.length + proxy.requests.length
  run.check(proxied === 0, `internal hosts never reach the proxy: ${attempts.addresses.slice(0, 3).join(' ')}`)
  run.figure('internal URLs tried with a proxy', urls.length)
  run.figure('internal URLs that reached the proxy', proxied)

  const reachedBefore = listeners.reachedCount()
  const redirecting = createServer().on('connect', (_, socket) => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${listeners.port}/\r\n\r\n`)
  })
  const proxyUrl = `http://127.0.0.1:${await listen(run, redirecting, 0, '127.0.0.1')}`
  const code = await codeOf(open({ dns, proxyUrl }).fetch('https://outside.example/'))
  run.check(code === 'proxy_failed', `a redirect by the proxy is an error: ${code}`)

  for (const variable of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
    process.env[variable] = `http://127.0.0.1:${listeners.port}`
    run.cleanUp(async () => void delete process.env[variable])
  }
  attempts.clear()
  await codeOf(open({ dns }).fetch('https://outside.example/'))
  run.check(
    attempts.addresses.join() === examplePublicAddress,
    `a proxy in the environment is not used: ${attempts.addresses.join(' ')}`,
  )
  await settle()
  run.check(listeners.reachedCount() === reachedBefore, 'no proxy setup reaches a listener')
}

type Listeners = {
  port: number
  /** The address that stands for an allowed host. The other listeners are internal. */
  listed: string
  reachedCount: (address?: string) => number
  hasListener: (address: string) => boolean
  closeConnections: () => void
}

/** Starts listeners on loopback, all on one port, that count every accepted connection. */
async function startListeners(run: ProofRun): Promise<Listeners> {
  const listed = '127.0.0.2'
  const internal: RequestListener = (_, response) =>
    void response.writeHead(200, { connection: 'close' }).end('internal')
  const redirecting: RequestListener = (request, response) => {
    const [, status, location] = /^\/(\d+)\?(.*)$/.exec(request.url ?? '') ?? []
    if (!status || !location) return void response.end('listed')
    const decoded = decodeURIComponent(location)
    response.writeHead(Number(status), { location: decoded, refresh: `0; url=${decoded}` }).end()
  }
  const listeners = ['127.0.0.1', listed, '127.255.255.254', '::1'].map((address) => {
    const server = createServer(address === listed ? redirecting : internal)
    const listener = { address, server, reachedCount: 0 }
    server.on('connection', () => {
      listener.reachedCount += 1
    })
    return listener
  })
  let port = 0
  for (const { address, server } of listeners) port = await listen(run, server, port, address)
  const aliases = ['0.0.0.0', '::', '::ffff:7f00:1']
  return {
    port,
    listed,
    reachedCount: (address) =>
      listeners.reduce(
        (sum, listener) => (address && listener.address !== address ? sum : sum + listener.reachedCount),
        0,
      ),
    hasListener: (address) => aliases.includes(address) || listeners.some((listener) => listener.address === address),
    closeConnections: () => {
      for (const { server } of listeners) server.closeAllConnections()
    },
  }
}

async function listen(run: ProofRun, server: Server, port: number, address: string): Promise<number> {
  server.listen(port, address)
  await once(server, 'listening')
  run.cleanUp(async () => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function localInterfaceHosts(): { host: string; address: string }[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return interfaces.map(({ address }) => ({ host: address.includes(':') ? `[${address}]` : address, address }))
}

/** Waits until accepted connections are counted: listeners notice them slightly later than the caller. */
const settle = () => sleep(20)

const isRejection = (code: string) => ['address_not_allowed', 'url_not_allowed', 'scheme_not_allowed'].includes(code)
const codeFrom = (error: unknown) => (error instanceof EgressError ? error.code : String(error))
const codeOf = (call: Promise<unknown>) => call.then(() => 'responded', codeFrom)
const textOf = (call: Promise<Response>) => call.then((response) => response.text()).catch(codeFrom)

const weaknesses = ['without-check', 'without-pin', 'following-redirects']

function createEgressOpener(run: ProofRun): (options: EgressOptions) => Egress {
  const [weakness] = run.args
  if (weakness && !weaknesses.includes(weakness))
    throw new Error(`Unknown argument ${weakness}. Choose from: ${weaknesses.join(', ')}.`)
  return (options) => {
    const isUnchecked = weakness === 'without-check'
    const egress = createEgress(isUnchecked ? { ...options, allowedNetworks: ['0.0.0.0/0', '::/0'] } : options)
    run.cleanUp(egress.close)
    if (weakness === 'without-pin' && options.dns) return withoutPin(egress, options.dns)
    if (weakness === 'following-redirects') return followingRedirects(egress)
    return egress
  }
}

/** Checks the URL, then lets an HTTP client resolve the name again. */
function withoutPin(egress: Egress, dns: NonNullable<EgressOptions['dns']>): Egress {
  const lookup: LookupFunction = (name, _options, done) => {
    dns.resolve4(name).then(
      (addresses) =>
        done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      (error) => done(error, []),
    )
  }
  return {
    ...egress,
    async fetch(url, { method = 'GET' } = {}) {
      await egress.check(url)
      const request = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
      const [response]: IncomingMessage[] = await once(request(url, { method, lookup }).end(), 'response')
      response?.resume()
      return new Response(null, { status: response?.statusCode ?? 500 })
    },
  }
}

function followingRedirects(egress: Egress): Egress {
  return {
    ...egress,
    async fetch(url, request) {
      const response = await egress.fetch(url, request)
      const location = response.headers.get('location')
      return location ? await egress.fetch(new URL(location, url), request) : response
    },
  }
}
