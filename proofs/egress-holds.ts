/**
 * Reached means: a listener on loopback accepted a connection, or this process began to open one. Both are measured
 * beside the code that is judged. Nothing leaves the machine: what is not loopback is written down and stopped.
 *
 * Played with `-- without-check`, `-- without-pin` or `-- following-redirects` it judges a weakened egress, and fails.
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
import { createEgress, type Egress, type EgressOptions } from '../server/src/platform/egress/egress.ts'
import { EgressError } from '../server/src/platform/egress/egress-error.ts'
import { selfSignedCertificate } from '../server/src/platform/egress/testing/certificate.ts'
import { startConnectProxy } from '../server/src/platform/egress/testing/connect-proxy.ts'
import {
  type ConnectionAttempts,
  watchConnectionAttempts,
} from '../server/src/platform/egress/testing/connection-attempts.ts'
import { startDnsServer } from '../server/src/platform/egress/testing/dns-server.ts'
import {
  addressesOfNames,
  deceptiveUrls,
  hostsLeadingInside,
  outside,
} from '../server/src/platform/egress/testing/hosts-leading-inside.ts'
import {
  insideNetworks,
  pick,
  publicNetworks,
  randomAddress,
  writtenInIPv6,
  writtenInNumbers,
} from '../server/src/platform/egress/testing/random-hosts.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'No user-given address leads inside'

type Stage = {
  run: ProofRun
  open: (options: EgressOptions) => Egress
  attempts: ConnectionAttempts
  doors: Doors
  dns: Resolver
  /** What a name answers to one question after the other; the last answer stays. */
  changing: Map<string, string[]>
}

export async function prove(run: ProofRun): Promise<void> {
  const attempts = await watchConnectionAttempts()
  run.cleanUp(async () => attempts.stop())
  const doors = await openDoors(run)
  const changing = new Map<string, string[]>()
  const { dns, stop } = await startDnsServer((name, family) => {
    const responses = changing.get(name)
    if (responses) return family === 4 ? [(responses.length > 1 ? responses.shift() : responses[0]) ?? outside] : []
    return (addressesOfNames[name] ?? []).filter((address) => address.includes(':') === (family === 6))
  })
  run.cleanUp(stop)

  const stage: Stage = { run, open: opener(run), attempts, doors, dns, changing }
  await addressesThatLeadInside(stage)
  await addressesAtRandom(stage)
  await whatTheOperatorListed(stage)
  await namesThatChange(stage)
  await redirects(stage)
  await proxies(stage)
}

async function addressesThatLeadInside({ run, open, attempts, doors, dns }: Stage): Promise<void> {
  const hosts = [...hostsLeadingInside, ...hostsOfThisMachine()]
  const deceptive = deceptiveUrls(doors.port)
  run.say(`${hosts.length} hosts and ${deceptive.length} deceptive URLs`)
  const egress = open({ dns })
  for (const { host, address } of hosts) {
    for (const scheme of ['https', 'http']) {
      const code = await codeOf(egress.fetch(`${scheme}://${host}:${doors.port}/`))
      run.check(code === 'address_not_allowed', `${scheme}://${host} (${address}) is refused: ${code}`)
    }
  }
  for (const url of deceptive) {
    const code = await codeOf(egress.fetch(url))
    run.check(isRefusal(code), `${JSON.stringify(url)} is refused: ${code}`)
  }
  await settle()
  run.check(attempts.seen.length === 0, `no connection is begun: ${attempts.seen.join(' ')}`)
  run.check(doors.reachedCount() === 0, `no listener is reached: ${doors.reachedCount()}`)
  run.figure('addresses that lead inside', hosts.length + deceptive.length)
  run.figure('connections begun to them', attempts.seen.length)
  run.figure('listeners reached by them', doors.reachedCount())

  run.say('the same hosts, with the operator allowing their addresses')
  const allowing = open({ dns, allowedNetworks: hosts.map(({ address }) => address) })
  for (const { host, address } of hosts) {
    attempts.forget()
    const reachedBefore = doors.reachedCount()
    await codeOf(allowing.fetch(`https://${host}:${doors.port}/`))
    run.check(
      attempts.seen.includes(address),
      `${host} is called at ${address} when allowed: ${attempts.seen.join(' ')}`,
    )
    if (doors.isBehind(address)) {
      await settle()
      run.check(doors.reachedCount() > reachedBefore, `${host} reaches its listener when allowed`)
    }
  }
  run.figure('listeners reached by the same hosts when the operator allows them', doors.reachedCount())
}

async function addressesAtRandom({ run, open, attempts, doors, dns }: Stage): Promise<void> {
  const count = { ci: 500, stated: 5000, full: 50_000 }[run.size]
  run.say(`${count} random inside addresses, written at random`)
  const egress = open({ dns })
  attempts.forget()
  const notRefused: string[] = []
  for (let index = 0; index < count; index += 1) {
    const write = pick(run.random, [writtenInNumbers, writtenInIPv6])
    const host = write(run.random, randomAddress(run.random, insideNetworks))
    const code = await codeOf(egress.fetch(`https://${host}:${doors.port}/`))
    if (code !== 'address_not_allowed') notRefused.push(`${host} ${code}`)
  }
  run.check(notRefused.length === 0, `${notRefused.length} are not refused, as ${notRefused.slice(0, 3).join(', ')}`)
  run.check(attempts.seen.length === 0, `no connection is begun: ${attempts.seen.slice(0, 3).join(' ')}`)
  run.figure('random inside addresses refused', `${count - notRefused.length} of ${count}`)

  const publicCount = count / 10
  const notCalled: string[] = []
  for (let index = 0; index < publicCount; index += 1) {
    attempts.forget()
    const address = randomAddress(run.random, publicNetworks)
    const host = writtenInNumbers(run.random, address)
    await codeOf(egress.fetch(`https://${host}/`))
    if (attempts.seen.join() !== address) notCalled.push(`${host} (${address})`)
  }
  run.check(
    notCalled.length === 0,
    `${notCalled.length} public ones are not called, as ${notCalled.slice(0, 3).join(', ')}`,
  )
  run.figure('random public addresses called', `${publicCount - notCalled.length} of ${publicCount}`)
}

async function whatTheOperatorListed({ run, open, doors: { port }, dns }: Stage): Promise<void> {
  run.say("the operator's list: what is on it answers, its neighbours are refused")
  const cases: [EgressOptions, host: string, expected: string][] = [
    [{ allowedNetworks: ['127.0.0.0/8'] }, '127.1', 'inside'],
    [{ allowedNetworks: ['127.0.0.0/8'] }, '[::ffff:127.0.0.1]', 'inside'],
    [{ allowedNetworks: ['127.0.0.0/8'] }, 'inside.example', 'inside'],
    [{ allowedNetworks: ['::1'] }, '[::1]', 'inside'],
    [{ allowedHosts: [`inside.example:${port}`] }, 'inside.example', 'inside'],
    [{ allowedHosts: [`127.0.0.1:${port}`] }, '0x7f.1', 'inside'],
    [{ allowedHosts: [`inside.example:${port}`] }, '127.0.0.1', 'address_not_allowed'],
    [{ allowedHosts: ['inside.example:1'] }, 'inside.example', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.2', '::1'] }, '127.0.0.1', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.1'] }, '[::1]', 'address_not_allowed'],
    [{ allowedNetworks: ['127.0.0.1'] }, 'both.example', 'scheme_not_allowed'],
  ]
  for (const [options, host, expected] of cases) {
    const answer = await textOf(open({ dns, ...options }).fetch(`http://${host}:${port}/`))
    run.check(answer === expected, `${host} with ${JSON.stringify(options)}: ${answer}, not ${expected}`)
  }
}

async function namesThatChange({ run, open, attempts, doors, dns, changing }: Stage): Promise<void> {
  const rounds = { ci: 30, stated: 300, full: 3000 }[run.size]
  run.say(`${rounds * 3} names that change between check and call`)
  const egress = open({ dns })
  const findRespondingName = (name: string, responses: string[]) => {
    changing.set(`${name}.example`, responses)
    return `//${name}.example:${doors.port}/`
  }
  const reachedBefore = doors.reachedCount()
  const wrong: string[] = []
  const expect = (holds: boolean, what: string) => {
    if (!holds) wrong.push(`${what}: ${attempts.seen.join(' ')}`)
    attempts.forget()
  }
  attempts.forget()
  for (let round = 0; round < rounds; round += 1) {
    const once = `https:${findRespondingName(`once-${round}`, [outside, '127.0.0.1'])}`
    await codeOf(egress.fetch(once))
    expect(attempts.seen.join() === outside, 'the address that was checked is called')
    const code = await codeOf(egress.fetch(once))
    expect(code === 'address_not_allowed' && attempts.seen.length === 0, `the next call is refused (${code})`)

    const early = `https:${findRespondingName(`early-${round}`, [outside, '127.0.0.1'])}`
    await egress.check(early)
    await codeOf(egress.fetch(early))
    expect(attempts.seen.length === 0, 'an earlier check does not count')

    const responses = Array.from({ length: 12 }, () => pick(run.random, [outside, '127.0.0.1', '169.254.169.254']))
    const restless = `https:${findRespondingName(`restless-${round}`, responses)}`
    await Promise.all(Array.from({ length: 8 }, () => codeOf(egress.fetch(restless))))
    expect(
      attempts.seen.every((address) => address === outside),
      'of many answers only the good ones are called',
    )
  }
  await settle()
  run.check(
    wrong.length === 0,
    `${wrong.length} times in ${rounds} rounds it goes wrong, as ${wrong.slice(0, 3).join('; ')}`,
  )
  run.check(doors.reachedCount() === reachedBefore, 'no name that changes reaches a listener')
  run.figure('names that change between check and call', rounds * 3)
  run.figure('wrong calls because of it', wrong.length)

  // A kept connection leads where it led when it was checked, whatever its name means by now.
  const keeping = open({ dns, allowedNetworks: [doors.listed] })
  const kept = `http:${findRespondingName('kept', [doors.listed, '127.0.0.1'])}`
  attempts.forget()
  for (let call = 1; call <= 3; call += 1) {
    const answer = await textOf(keeping.fetch(kept))
    run.check(answer === 'listed', `call ${call} on a kept connection is answered by the listed one: ${answer}`)
    await settle()
  }
  run.check(attempts.seen.join() === doors.listed, `one connection was kept: ${attempts.seen.join(' ')}`)
  doors.closeConnections()
  await settle()
  const afterwards = await codeOf(keeping.fetch(kept))
  run.check(afterwards === 'address_not_allowed', `a new connection is checked anew: ${afterwards}`)

  const reachedBeforeControl = doors.reachedCount('127.0.0.1')
  await codeOf(withoutPin(open({ dns }), dns).fetch(`https:${findRespondingName('control', [outside, '127.0.0.1'])}`))
  await settle()
  run.check(
    doors.reachedCount('127.0.0.1') > reachedBeforeControl,
    'control: who looks the name up twice is led inside',
  )
}

async function redirects({ run, open, attempts, doors, dns }: Stage): Promise<void> {
  const { port } = doors
  const listed = `http://${doors.listed}:${port}`
  const places = [
    `http://127.0.0.1:${port}/`,
    `//2130706433:${port}/`,
    `http://[::1]:${port}/x`,
    `http://localhost:${port}/`,
    `https://inside.example:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]
  const statuses = [201, 300, 301, 302, 303, 304, 305, 307, 308]
  run.say(`${statuses.length * places.length} redirects from a listed server to inside`)
  const egress = open({ dns, allowedNetworks: [doors.listed] })
  let followed = 0
  for (const status of statuses) {
    for (const place of places) {
      attempts.forget()
      const call = egress.fetch(`${listed}/${status}?${encodeURIComponent(place)}`, { method: 'POST', body: 'x' })
      const answer = await call.then(({ status, headers }) => `${status} ${headers.get('location')}`, codeFrom)
      run.check(answer === `${status} ${place}`, `${status} to ${place} is given as it is: ${answer}`)
      const elsewhere = attempts.seen.filter((address) => address !== doors.listed)
      followed += elsewhere.length
      run.check(elsewhere.length === 0, `${status} to ${place} is not followed: ${elsewhere.join(' ')}`)
      const code = await codeOf(egress.fetch(new URL(place, listed)))
      run.check(isRefusal(code), `who follows to ${place} by hand is refused: ${code}`)
    }
  }
  run.figure('redirects that lead inside', statuses.length * places.length)
  run.figure('redirects followed', followed)

  const reachedBefore = doors.reachedCount('127.0.0.1')
  const follower = followingRedirects(createEgress({ dns, allowedNetworks: ['127.0.0.0/8'] }))
  await codeOf(follower.fetch(`${listed}/302?${encodeURIComponent(`http://127.0.0.1:${port}/`)}`))
  await follower.close()
  run.check(doors.reachedCount('127.0.0.1') > reachedBefore, 'control: who follows redirects is led inside')
}

async function proxies({ run, open, attempts, doors, dns, changing }: Stage): Promise<void> {
  run.say("the operator's proxy, and others")
  const certificate = await selfSignedCertificate(['outside.example', 'changing.example'])
  const outsideServer = createTlsServer(certificate, (_, response) => void response.end('outside'))
  const proxy = await startConnectProxy(await listen(run, outsideServer, 0, '127.0.0.1'))
  run.cleanUp(proxy.stop)
  const egress = open({ dns, proxyUrl: `http://127.0.0.1:${proxy.port}`, caBundlePem: certificate.cert })

  const answer = await textOf(egress.fetch('https://outside.example/'))
  run.check(answer === 'outside', `what is outside is reached through the proxy: ${answer}`)
  changing.set('changing.example', [outside, '127.0.0.1'])
  await codeOf(egress.fetch('https://changing.example/'))
  const asked = proxy.asked.splice(0).map(({ method, target }) => `${method} ${target}`)
  const byAddress = `CONNECT ${outside}:443`
  run.check(asked.join() === `${byAddress},${byAddress}`, `the proxy is told addresses, never names: ${asked.join()}`)

  attempts.forget()
  const urls = hostsLeadingInside.map(({ host }) => `https://${host}:${doors.port}/`)
  urls.push(`https://127.0.0.1:${proxy.port}/`, `http://127.0.0.1:${proxy.port}/`) // the proxy's own address
  for (const url of urls) {
    const code = await codeOf(egress.fetch(url))
    run.check(code === 'address_not_allowed', `${url} is refused though there is a proxy: ${code}`)
  }
  await settle()
  const heard = attempts.seen.length + proxy.asked.length
  run.check(heard === 0, `the proxy hears nothing of them: ${attempts.seen.slice(0, 3).join(' ')}`)
  run.figure('addresses that lead inside, tried with a proxy', urls.length)
  run.figure('of them the proxy heard of', heard)

  const reachedBefore = doors.reachedCount()
  const redirecting = createServer().on('connect', (_, socket) => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${doors.port}/\r\n\r\n`)
  })
  const proxyUrl = `http://127.0.0.1:${await listen(run, redirecting, 0, '127.0.0.1')}`
  const code = await codeOf(open({ dns, proxyUrl }).fetch('https://outside.example/'))
  run.check(code === 'proxy_failed', `a proxy that sends elsewhere has failed: ${code}`)

  for (const variable of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
    process.env[variable] = `http://127.0.0.1:${doors.port}`
    run.cleanUp(async () => void delete process.env[variable])
  }
  attempts.forget()
  await codeOf(open({ dns }).fetch('https://outside.example/'))
  run.check(attempts.seen.join() === outside, `a proxy in the environment is not used: ${attempts.seen.join(' ')}`)
  await settle()
  run.check(doors.reachedCount() === reachedBefore, 'no trick with proxies reaches a listener')
}

type Doors = {
  port: number
  /** The one that an operator may have listed; the others are inside. */
  listed: string
  reachedCount: (address?: string) => number
  isBehind: (address: string) => boolean
  closeConnections: () => void
}

/** Listeners on loopback, all on one port, which count every connection they accept. */
async function openDoors(run: ProofRun): Promise<Doors> {
  const listed = '127.0.0.2'
  const inside: RequestListener = (_, response) => void response.writeHead(200, { connection: 'close' }).end('inside')
  const redirecting: RequestListener = (request, response) => {
    const [, status, location] = /^\/(\d+)\?(.*)$/.exec(request.url ?? '') ?? []
    if (!status || !location) return void response.end('listed')
    const place = decodeURIComponent(location)
    response.writeHead(Number(status), { location: place, refresh: `0; url=${place}` }).end()
  }
  const doors = ['127.0.0.1', listed, '127.255.255.254', '::1'].map((address) => {
    const server = createServer(address === listed ? redirecting : inside)
    const door = { address, server, reachedCount: 0 }
    server.on('connection', () => {
      door.reachedCount += 1
    })
    return door
  })
  let port = 0
  for (const { address, server } of doors) port = await listen(run, server, port, address)
  const alsoLeadHere = ['0.0.0.0', '::', '::ffff:7f00:1']
  return {
    port,
    listed,
    reachedCount: (address) =>
      doors.reduce((sum, door) => (address && door.address !== address ? sum : sum + door.reachedCount), 0),
    isBehind: (address) => alsoLeadHere.includes(address) || doors.some((door) => door.address === address),
    closeConnections: () => {
      for (const { server } of doors) server.closeAllConnections()
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

function hostsOfThisMachine(): { host: string; address: string }[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return interfaces.map(({ address }) => ({ host: address.includes(':') ? `[${address}]` : address, address }))
}

/** For what was accepted to be counted: listeners hear of it a little after the caller does. */
const settle = () => sleep(20)

const isRefusal = (code: string) => ['address_not_allowed', 'url_not_allowed', 'scheme_not_allowed'].includes(code)
const codeFrom = (error: unknown) => (error instanceof EgressError ? error.code : String(error))
const codeOf = (call: Promise<unknown>) => call.then(() => 'answered', codeFrom)
const textOf = (call: Promise<Response>) => call.then((response) => response.text()).catch(codeFrom)

const weaknesses = ['without-check', 'without-pin', 'following-redirects']

function opener(run: ProofRun): (options: EgressOptions) => Egress {
  const [weakness] = run.words
  if (weakness && !weaknesses.includes(weakness)) throw new Error(`It can be weakened ${weaknesses.join(', ')}.`)
  return (options) => {
    const isUnchecked = weakness === 'without-check'
    const egress = createEgress(isUnchecked ? { ...options, allowedNetworks: ['0.0.0.0/0', '::/0'] } : options)
    run.cleanUp(egress.close)
    if (weakness === 'without-pin' && options.dns) return withoutPin(egress, options.dns)
    if (weakness === 'following-redirects') return followingRedirects(egress)
    return egress
  }
}

/** Checks, and then lets an HTTP client look the name up again. */
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
