import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { describeConnectError } from './connect.ts'
import type { Destination } from './destination.ts'
import { EgressError } from './egress-error.ts'

/** Configured by the operator, so its own address is not checked. */
export type ProxySettings = { host: string; port: number; authorization: string | undefined }

export function parseProxyUrl(proxyUrl: string): ProxySettings {
  const url = URL.parse(proxyUrl)
  if (url?.protocol !== 'http:') throw new Error('The proxy URL must have the form http://host:port.')
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 80),
    authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
}

/**
 * The proxy gets the checked IP address, never the name: a proxy that resolves names itself could get an address that
 * was not checked. Only https uses the proxy, so CONNECT is the only method sent to it.
 */
export async function connectThroughProxy(
  proxy: ProxySettings,
  destination: Destination,
  signal: AbortSignal,
): Promise<Socket> {
  const [address] = destination.addresses
  const target = `${isIPv6(address) ? `[${address}]` : address}:${destination.port}`
  const request = httpRequest({
    host: proxy.host,
    port: proxy.port,
    agent: false,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
  })
  request.end().on('error', () => {}) // after an abort it fails once more, and nothing awaits it
  const [response, socket] = await once(request, 'connect', { signal }).catch((error: unknown) => {
    request.destroy()
    throw new EgressError(
      'proxy_failed',
      `The egress proxy did not connect to ${destination.hostname} ${describeConnectError(error)}.`,
    )
  })
  if (response.statusCode === 200) return socket
  socket.destroy()
  throw new EgressError(
    'proxy_failed',
    `The egress proxy rejected ${destination.hostname} at ${target} (status ${response.statusCode}). It must allow CONNECT to IP addresses.`,
  )
}
