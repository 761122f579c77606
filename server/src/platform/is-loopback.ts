import { isIP } from 'node:net'

/** `host`: a host name or IP address, as in a URL. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  (isIP(host) === 4 && host.startsWith('127.')) ||
  host === '::1' ||
  host === '[::1]'
