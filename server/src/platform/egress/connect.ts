import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { Destination } from './destination.ts'
import { EgressError } from './egress-error.ts'

/** A connection to one of the checked addresses and to nothing else. */
export async function openDirectly(to: Destination, signal: AbortSignal): Promise<Socket> {
  const pinned = to.addresses.map((address) => ({ address, family: isIP(address) }))
  const socket = connectTcp({
    host: to.hostname,
    port: to.port,
    autoSelectFamily: true, // tries them in turn: an IPv6 address without a route must not cost the whole time
    lookup: (_hostname, _options, done) => done(null, pinned),
  })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw new EgressError('connect_failed', `No connection to ${to.hostname}:${to.port} ${because(error)}.`)
  }
}

/**
 * The proxy is told the checked address, never the name: a proxy that looks names up itself would get the answer that
 * we have not checked. Only https goes this way, so CONNECT is all that is spoken to it.
 */
export async function openThroughProxy(proxy: URL, to: Destination, signal: AbortSignal): Promise<Socket> {
  const [address] = to.addresses
  const target = `${isIPv6(address) ? `[${address}]` : address}:${to.port}`
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const request = httpRequest({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || 80,
    agent: false,
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(credentials !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
  })
  request.end().on('error', () => {}) // given up, it fails once more with nobody waiting
  const [response, socket] = await once(request, 'connect', { signal }).catch((error: unknown) => {
    request.destroy()
    throw new EgressError(
      'proxy_failed',
      `The operator's proxy gave no connection to ${to.hostname} ${because(error)}.`,
    )
  })
  if (response.statusCode === 200) return socket
  socket.destroy()
  throw new EgressError(
    'proxy_failed',
    `The operator's proxy refused ${to.hostname} at ${target} (status ${response.statusCode}). It must let connections to addresses through.`,
  )
}

/** The name is what was typed, not the address that is connected to: the certificate is checked against the name. */
export async function secure(
  socket: Socket,
  hostname: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const tlsSocket = connectTls({
    socket,
    secureContext,
    host: hostname,
    servername: isIP(hostname) ? '' : hostname,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // or NODE_TLS_REJECT_UNAUTHORIZED in the environment decides
  })
  try {
    await once(tlsSocket, 'secureConnect', { signal })
    return tlsSocket
  } catch (error) {
    tlsSocket.destroy()
    throw new EgressError(
      'tls_failed',
      `No secure connection to ${hostname} ${because(error)}. An operator can add a certificate authority with COLOPHON_EGRESS_CA_BUNDLE.`,
    )
  }
}

function because(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'in time'
  return error instanceof Error && 'code' in error ? `(${error.code})` : '(unknown reason)'
}
