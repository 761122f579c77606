import { X509Certificate } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { asResponse } from './answer.ts'
import { openDirectly, secure } from './connect.ts'
import { createDestinationCheck, type Destination, type DestinationRules, parseUrl } from './destination.ts'
import { asEgressError, EgressError } from './egress-error.ts'
import { openThroughProxy, parseProxyUrl } from './proxy.ts'
import type { Dns } from './resolve-name.ts'

export type CallLimits = {
  /** The longest wait for the first byte of an answer, and between two parts of it. */
  silenceSeconds: number
  /** From the call to the last byte of the answer. */
  deadlineSeconds: number
  maxResponseBytes: number
}

export type EgressOptions = Partial<DestinationRules> & {
  /** For all that is not listed: `http://user:password@host:port`. HTTP_PROXY and the like in the environment are not read. */
  proxyUrl?: string
  /** Certificate authorities to trust besides the usual ones. */
  caBundlePem?: string
  dns?: Dns
  connectTimeoutSeconds?: number
  /** What a call gets that does not say otherwise. */
  limits?: Partial<CallLimits>
}

type HeaderList = Headers | Record<string, string> | [string, string][]

export type EgressRequest = {
  method?: string
  headers?: HeaderList
  body?: string | Uint8Array | ReadableStream<Uint8Array> | null
  signal?: AbortSignal | null
  limits?: Partial<CallLimits>
  /** For addresses that a host answered with, not a person: what the operator listed is not for them. */
  isPublicOnly?: boolean
}

export type Egress = {
  /**
   * Shaped like `fetch`, so that API clients can be given it. A redirect is an answer like any other, never followed;
   * bodies are not decompressed (and asked for plain). Read the body or cancel it: it holds its connection.
   */
  fetch(url: string | URL, request?: EgressRequest): Promise<Response>
  /** To tell a user early; and for programs that connect by themselves, to be given these addresses. */
  check(url: string | URL): Promise<Destination>
  /** Breaks off the calls under way. */
  close(): Promise<void>
}

type DestinationCheck = ReturnType<typeof createDestinationCheck>

const defaultLimits: CallLimits = { silenceSeconds: 60, deadlineSeconds: 120, maxResponseBytes: 20_000_000 }

/** The one way out to addresses that users type. */
export function createEgress(options: EgressOptions): Egress {
  const { allowedNetworks = [], allowedHosts = [], connectTimeoutSeconds = 10 } = options
  const dns = options.dns ?? new Resolver({ timeout: 2000, tries: 2 })
  const listedOrPublic = createDestinationCheck({ allowedNetworks, allowedHosts }, dns)
  const publicOnly = createDestinationCheck({ allowedNetworks: [], allowedHosts: [] }, dns)
  const proxy = options.proxyUrl === undefined ? undefined : parseProxyUrl(options.proxyUrl)
  const secureContext = createSecureContext({
    ca: [...getCACertificates('default'), ...certificatesIn(options.caBundlePem)],
  })

  async function check(url: URL, checked: DestinationCheck, signal: AbortSignal): Promise<Destination> {
    return await unlessAborted(signal, checked(url)).catch((error: unknown) => {
      throw signal.aborted
        ? new EgressError('unresolvable', `No name server answered for ${url.hostname} in time.`)
        : error
    })
  }

  // Checked here, where connections are made, and not before a call: so every connection that is ever used, a kept one
  // too, leads to an address that was checked, and between the check and the call there is nothing to change.
  async function connect(url: URL, checked: DestinationCheck) {
    const signal = AbortSignal.timeout(connectTimeoutSeconds * 1000)
    const to = await check(url, checked, signal)
    const socket = proxy && !to.listed ? await openThroughProxy(proxy, to, signal) : await openDirectly(to, signal)
    return url.protocol === 'https:' ? await secure(socket, to.hostname, secureContext, signal) : socket
  }

  const agentOf = (checked: DestinationCheck) =>
    new Agent({
      allowH2: false,
      connect: ({ protocol, host }, done) => {
        connect(new URL(`${protocol}//${host}`), checked).then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
    })
  const agent = agentOf(listedOrPublic)
  const publicAgent = agentOf(publicOnly) // of its own, as the other one keeps connections to what is listed

  return {
    async fetch(input, request = {}) {
      const url = parseUrl(input)
      const limits = { ...defaultLimits, ...options.limits, ...request.limits }
      const deadline = AbortSignal.timeout(limits.deadlineSeconds * 1000)
      const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline

      const explain = (error: unknown) => {
        if (request.signal?.aborted) return request.signal.reason
        if (deadline.aborted) {
          return new EgressError('timeout', `${url.host} did not answer in full within ${limits.deadlineSeconds} s.`)
        }
        return asEgressError(error, url.host)
      }

      try {
        const response = (request.isPublicOnly ? publicAgent : agent).request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
          headers: requestHeaders(request.headers),
          body: request.body instanceof ReadableStream ? Readable.fromWeb(request.body) : (request.body ?? null),
          signal,
          headersTimeout: limits.silenceSeconds * 1000,
          bodyTimeout: limits.silenceSeconds * 1000,
        })
        return asResponse(url, await unlessAborted(signal, response), limits.maxResponseBytes, explain)
      } catch (error) {
        throw explain(error)
      }
    },
    check: (url) => check(parseUrl(url), listedOrPublic, AbortSignal.timeout(connectTimeoutSeconds * 1000)),
    async close() {
      await Promise.all([agent.destroy(), publicAgent.destroy()])
    },
  }
}

/** Read one by one: TLS takes a broken bundle without a word, and then trusts nobody. */
function certificatesIn(caBundlePem: string | undefined): string[] {
  if (caBundlePem === undefined) return []
  const certificates = caBundlePem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs)
  if (!certificates) throw new Error('The CA bundle holds no certificate in PEM form.')
  return certificates.map((certificate) => new X509Certificate(certificate).toString())
}

function requestHeaders(given: HeaderList | undefined): Headers {
  const headers = new Headers(given)
  headers.delete('host') // it is the URL's: what was checked is what is asked
  headers.set('accept-encoding', 'identity') // a small answer cannot become a large one
  if (!headers.has('user-agent')) headers.set('user-agent', 'colophon')
  return headers
}

/** `undici` notices an abort only once it is connected, and a DNS query cannot be told. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}
