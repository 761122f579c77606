import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { Destination } from './destination.ts'
import { EgressError } from './egress-error.ts'

/** Connects to one of the checked addresses and to no other. */
export async function connectDirectly(destination: Destination, signal: AbortSignal): Promise<Socket> {
  const pinnedAddresses = destination.addresses.map((address) => ({ address, family: isIP(address) }))
  const socket = connectTcp({
    host: destination.hostname,
    port: destination.port,
    autoSelectFamily: true, // tries them one after another: an IPv6 address without a route must not use up the timeout
    lookup: (_hostname, _options, done) => done(null, pinnedAddresses),
  })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw new EgressError(
      'connect_failed',
      `Cannot connect to ${destination.hostname}:${destination.port} ${describeConnectError(error)}.`,
    )
  }
}

/** `hostname`: from the URL, not the IP address of the connection. The certificate is verified against it. */
export async function upgradeToTls(
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
    rejectUnauthorized: true, // otherwise NODE_TLS_REJECT_UNAUTHORIZED in the environment decides
  })
  try {
    await once(tlsSocket, 'secureConnect', { signal })
    return tlsSocket
  } catch (error) {
    tlsSocket.destroy()
    throw new EgressError(
      'tls_failed',
      `Cannot establish a TLS connection to ${hostname} ${describeConnectError(error)}. An administrator can add a certificate authority with COLOPHON_EGRESS_CA_BUNDLE.`,
    )
  }
}

/** The cause of a failed connection, as the end of a sentence. */
export function describeConnectError(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return '(timeout)'
  return error instanceof Error && 'code' in error ? `(${error.code})` : '(unknown reason)'
}
