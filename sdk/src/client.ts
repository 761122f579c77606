import { type Health, health, type Readiness, readiness } from './health.ts'
import type { CallOptions, Connection } from './request.ts'

export interface ClientOptions {
  /** Where Colophon answers, like `https://colophon.example.com`; a path in it is kept. */
  baseUrl: string
  /** A secret: for servers and CI, never for a browser. */
  apiKey?: string
  /** The platform's own unless given. */
  fetch?: typeof globalThis.fetch
  /** How long a call may take, answer included; 30 unless given. */
  timeoutSeconds?: number
}

/** Every call throws `ColophonError` when it fails. */
export interface Client {
  /** The process is alive. */
  health(options?: CallOptions): Promise<Health>
  /** What works and what does not. A server that is not ready is an answer too, not an error. */
  readiness(options?: CallOptions): Promise<Readiness>
}

/** Throws `TypeError` when the base URL is none. */
export function createClient({ baseUrl, apiKey, fetch, timeoutSeconds = 30 }: ClientOptions): Client {
  const connection: Connection = {
    base: parseBaseUrl(baseUrl),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    fetch: fetch ?? globalThis.fetch,
    timeoutSeconds,
  }
  return {
    health: (options) => health(connection, options),
    readiness: (options) => readiness(connection, options),
  }
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // `localhost:8080` is a URL too, of the scheme `localhost`; and fetch refuses a user name in one.
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError('The base URL must start with http:// or https:// and hold no user name.')
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`)
}
