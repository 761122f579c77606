import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { because } from './connect.ts'
import type { Destination } from './destination.ts'
import { EgressError } from './egress-error.ts'

/** The operator's: its own address is not checked. */
export type Proxy = { host: string; port: number; authorization: string | undefined }

export function parseProxyUrl(proxyUrl: string): Proxy {
  const url = URL.parse(proxyUrl)
  if (url?.protocol !== 'http:') throw new Error('The proxy must be given as http://host:port.')
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 80),
    authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
}

/**
 * The proxy is told the checked address, never the name: a proxy that looks names up itself would get the answer that
 * we have not checked. Only https goes this way, so CONNECT is all that is spoken to it.
 */
export async function openThroughProxy(proxy: Proxy, to: Destination, signal: AbortSignal): Promise<Socket> {
  const [address] = to.addresses
  const target = `${isIPv6(address) ? `[${address}]` : address}:${to.port}`
  const request = httpRequest({
    host: proxy.host,
    port: proxy.port,
    agent: false,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
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
