import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
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

/** What went wrong with a connection, as the end of a sentence. */
export function because(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'in time'
  return error instanceof Error && 'code' in error ? `(${error.code})` : '(unknown reason)'
}
