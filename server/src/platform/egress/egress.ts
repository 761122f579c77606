import { X509Certificate } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { connectDirectly, upgradeToTls } from './connect.ts'
import { createDestinationCheck, type Destination, type DestinationRules, parseUrl } from './destination.ts'
import { EgressError, type EgressErrorCode, toEgressError } from './egress-error.ts'
import { connectThroughProxy, parseProxyUrl } from './proxy-settings.ts'
import type { DnsResolver } from './resolve-name.ts'
import { toFetchResponse } from './to-fetch-response.ts'

export type EgressLimits = {
  /** Maximum wait for the first byte of the response, and between two chunks of it. */
  idleTimeoutSeconds: number
  /** From the call to the last byte of the response. */
  deadlineSeconds: number
  maxResponseBytes: number
}

export type EgressOptions = Partial<DestinationRules> & {
  /**
   * For all destinations that are not explicitly allowed: `http://user:password@host:port`. HTTP_PROXY etc. are not
   * read.
   */
  proxyUrl?: string | undefined
  /** Certificate authorities to trust in addition to the default ones. */
  caBundlePem?: string | undefined
  dns?: DnsResolver
  connectTimeoutSeconds?: number
  /**
   * For addresses that strangers may enter: gets the reason why an internal host that the operator allowed cannot be used. The error then
   * says only that it cannot, so that it does not show which ports are open and what listens there.
   */
  onHiddenCause?: (host: string, error: unknown) => void
  /** Defaults for requests that set none. */
  limits?: Partial<EgressLimits>
}

type HeaderList = Headers | Record<string, string> | [string, string][]

export type EgressRequest = {
  method?: string
  headers?: HeaderList
  body?: string | Uint8Array | ReadableStream<Uint8Array> | null
  signal?: AbortSignal | null
  limits?: Partial<EgressLimits>
  /** For URLs that come from a remote server and not from a user: destinations that the operator allowed do not apply. */
  publicOnly?: boolean
  /** Called with the size of each chunk of the response. An error that it throws ends the response. */
  onReceived?: (bytes: number) => void
}

export type Egress = {
  /**
   * Compatible with `fetch`, so that API clients can use it. Redirects are returned, never followed. Bodies are requested
   * uncompressed and are not decompressed. Read or cancel the body: it occupies its connection.
   */
  fetch(url: string | URL, request?: EgressRequest): Promise<Response>
  /** For early feedback to a user, and for programs that connect by themselves and need the checked addresses. */
  check(url: string | URL): Promise<Destination>
  /** Aborts the calls in progress. */
  close(): Promise<void>
}

/** For a series of calls that end together, and whose responses together have a maximum size: their results may be kept in memory. */
export function withSharedLimits(
  egress: Egress,
  { signal, maxTotalBytes }: { signal: AbortSignal; maxTotalBytes: number },
): Egress {
  let totalBytes = 0
  const onReceived = (bytes: number) => {
    totalBytes += bytes
    if (totalBytes > maxTotalBytes)
      throw new EgressError('too_large', `The responses are larger than the limit of ${maxTotalBytes} bytes.`)
  }
  return {
    ...egress,
    fetch: (url, request = {}) =>
      egress.fetch(url, {
        ...request,
        onReceived,
        signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
      }),
  }
}

/** What fails at an allowed host, and the code that the caller gets. It still says whether the request may have arrived. */
const hiddenCodes: Partial<Record<EgressErrorCode, EgressErrorCode>> = {
  connect_failed: 'connect_failed',
  tls_failed: 'connect_failed',
  timeout: 'connection_lost',
  connection_lost: 'connection_lost',
  bad_response: 'connection_lost',
}

type DestinationCheck = ReturnType<typeof createDestinationCheck>

const defaultLimits: EgressLimits = { idleTimeoutSeconds: 60, deadlineSeconds: 120, maxResponseBytes: 20_000_000 }

/** All requests to user-supplied URLs go through this. */
export function createEgress(options: EgressOptions): Egress {
  const {
    allowedNetworks = [],
    allowedHosts = [],
    allowedHostsSetting = 'COLOPHON_EGRESS_ALLOWED_HOSTS',
    connectTimeoutSeconds = 10,
    onHiddenCause,
  } = options
  const dns = options.dns ?? new Resolver({ timeout: 2000, tries: 2 })
  const checkAllowedOrPublic = createDestinationCheck({ allowedNetworks, allowedHosts, allowedHostsSetting }, dns)
  const checkPublicOnly = createDestinationCheck({ allowedNetworks: [], allowedHosts: [], allowedHostsSetting }, dns)
  const proxy = options.proxyUrl === undefined ? undefined : parseProxyUrl(options.proxyUrl)
  const secureContext = createSecureContext({
    ca: [...getCACertificates('default'), ...parseCertificates(options.caBundlePem)],
  })

  /** To which a connection was attempted: few, because an operator has listed them. */
  const allowedOrigins = new Set<string>()

  function hideCause(error: unknown, url: URL): unknown {
    if (!onHiddenCause || !(error instanceof EgressError) || !allowedOrigins.has(url.origin)) return error
    const code = hiddenCodes[error.code]
    if (code === undefined) return error
    onHiddenCause(url.host, error)
    return new EgressError(
      code,
      `${url.host} cannot be used. An administrator finds the reason in the log of Colophon.`,
    )
  }

  async function check(url: URL, checkDestination: DestinationCheck, signal: AbortSignal): Promise<Destination> {
    return await rejectOnAbort(signal, checkDestination(url)).catch((error: unknown) => {
      throw signal.aborted ? new EgressError('unresolvable', `DNS did not respond in time for ${url.hostname}.`) : error
    })
  }

  // Checked here, where connections are opened, and not before a call: so every connection, including a reused one,
  // leads to a checked address, and nothing can change between the check and the connection.
  async function connect(url: URL, checkDestination: DestinationCheck) {
    const signal = AbortSignal.timeout(connectTimeoutSeconds * 1000)
    const destination = await check(url, checkDestination, signal)
    if (destination.isExplicitlyAllowed) allowedOrigins.add(url.origin)
    const socket =
      proxy && !destination.isExplicitlyAllowed
        ? await connectThroughProxy(proxy, destination, signal)
        : await connectDirectly(destination, signal)
    return url.protocol === 'https:' ? await upgradeToTls(socket, destination.hostname, secureContext, signal) : socket
  }

  const createAgent = (checkDestination: DestinationCheck) =>
    new Agent({
      allowH2: false,
      connect: ({ protocol, host }, done) => {
        connect(new URL(`${protocol}//${host}`), checkDestination).then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
    })
  const agent = createAgent(checkAllowedOrPublic)
  const publicAgent = createAgent(checkPublicOnly) // separate, because the other one keeps connections to allowed destinations

  return {
    async fetch(input, request = {}) {
      const url = parseUrl(input)
      const limits = { ...defaultLimits, ...options.limits, ...request.limits }
      const deadline = AbortSignal.timeout(limits.deadlineSeconds * 1000)
      const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline

      const toCallerError = (error: unknown) => {
        if (request.signal?.aborted) return request.signal.reason
        if (deadline.aborted) {
          const message = `${url.host} did not send a complete response within ${limits.deadlineSeconds} s.`
          return hideCause(new EgressError('timeout', message), url)
        }
        return hideCause(toEgressError(error, url.host), url)
      }

      try {
        const response = (request.publicOnly ? publicAgent : agent).request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
          headers: requestHeaders(request.headers),
          body: request.body instanceof ReadableStream ? Readable.fromWeb(request.body) : (request.body ?? null),
          signal,
          headersTimeout: limits.idleTimeoutSeconds * 1000,
          bodyTimeout: limits.idleTimeoutSeconds * 1000,
        })
        const size = { maxBytes: limits.maxResponseBytes, onReceived: request.onReceived }
        return toFetchResponse(url, await rejectOnAbort(signal, response), size, toCallerError)
      } catch (error) {
        throw toCallerError(error)
      }
    },
    check: (url) => check(parseUrl(url), checkAllowedOrPublic, AbortSignal.timeout(connectTimeoutSeconds * 1000)),
    async close() {
      await Promise.all([agent.destroy(), publicAgent.destroy()])
    },
  }
}

/** Parses each certificate: Node's TLS silently accepts an invalid bundle and then trusts no server. */
function parseCertificates(caBundlePem: string | undefined): string[] {
  if (caBundlePem === undefined) return []
  const certificates = caBundlePem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs)
  if (!certificates) throw new Error('The CA bundle contains no certificate in PEM format.')
  return certificates.map((certificate) => new X509Certificate(certificate).toString())
}

function requestHeaders(init: HeaderList | undefined): Headers {
  const headers = new Headers(init)
  headers.delete('host') // comes from the URL: the checked host is the requested one
  headers.set('accept-encoding', 'identity') // a small response cannot expand into a large one
  if (!headers.has('user-agent')) headers.set('user-agent', 'colophon')
  return headers
}

/** `undici` notices an abort only once it is connected, and a DNS query cannot be aborted. */
function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}
