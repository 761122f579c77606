/**
 * The public keys of issuers, by OpenID Connect Discovery. The projects choose the issuers, so each may be slow, silent or lying: everything is
 * bounded, and a project that waits for one delays no other project.
 */
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'
import type { Egress } from '../../platform/egress/egress.ts'
import { EgressError } from '../../platform/egress/egress-error.ts'
import type { Id } from '../../platform/ids.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../../platform/semaphore.ts'
import { IssuerUnavailableError, TokenRejection } from './token-rejection.ts'

export interface IssuerKeysTimes {
  /** A key that the issuer has removed is accepted for at most this long. */
  maxAgeSeconds: number
  /** Between two requests for the keys of an issuer that responded. Strangers can send tokens with unknown keys at any time. */
  minIntervalSeconds: number
  /** The same after a failure. */
  retrySeconds: number
  /** For each of the two requests. */
  timeoutSeconds: number
}

const defaultTimes: IssuerKeysTimes = {
  maxAgeSeconds: 600,
  minIntervalSeconds: 30,
  retrySeconds: 10,
  timeoutSeconds: 5,
}

const maxResponseBytes = 256 * 1024
const maxKeysPerIssuer = 100
const maxIssuers = 1_000
const perProject = { maxConcurrent: 2, maxWaiting: 100, waitTimeoutMs: 5_000 }

interface KeySet {
  keyIds: ReadonlySet<string>
  findKey: JWTVerifyGetKey
  expiresAtMs: number
}

interface IssuerState {
  keys?: KeySet
  /** Shared by all who need it at the same time. */
  request?: Promise<KeySet>
  nextRequestAtMs: number
}

export class IssuerKeys {
  readonly #egress: Egress
  readonly #times: IssuerKeysTimes
  readonly #issuers = new Map<string, IssuerState>()
  readonly #slots = new KeyedSemaphore<Id<'prj'>>(perProject)

  constructor(egress: Egress, times: Partial<IssuerKeysTimes> = {}) {
    this.#egress = egress
    this.#times = { ...defaultTimes, ...times }
  }

  /** Keys of the issuer with one of this ID. The project is the one that waits for them. */
  async get(issuer: string, keyId: string, projectId: Id<'prj'>): Promise<JWTVerifyGetKey> {
    const known = this.#findFresh(issuer, keyId)
    if (known) return known.findKey
    await this.#slots.acquire(projectId).catch((error: unknown) => {
      if (!(error instanceof SemaphoreFullError)) throw error
      throw new IssuerUnavailableError('Too many exchanges of the project wait for issuers.', 5)
    })
    try {
      const keys = this.#findFresh(issuer, keyId) ?? (await this.#request(issuer))
      if (!keys.keyIds.has(keyId)) throw new TokenRejection('signing_key_unknown', { detail: { issuer } })
      return keys.findKey
    } finally {
      this.#slots.release(projectId)
    }
  }

  #findFresh(issuer: string, keyId: string): KeySet | undefined {
    const keys = this.#issuers.get(issuer)?.keys
    return keys && keys.expiresAtMs > performance.now() && keys.keyIds.has(keyId) ? keys : undefined
  }

  #request(issuer: string): Promise<KeySet> {
    const state = this.#stateOf(issuer)
    if (state.request) return state.request
    const waitMs = state.nextRequestAtMs - performance.now()
    if (waitMs > 0)
      throw new IssuerUnavailableError(
        `The keys of ${issuer} were requested less than ${Math.ceil(this.#times.minIntervalSeconds)} s ago.`,
        Math.ceil(waitMs / 1000),
      )
    const { maxAgeSeconds, minIntervalSeconds, retrySeconds } = this.#times
    state.request = requestKeys(this.#egress, issuer, this.#times.timeoutSeconds)
      .then(
        (found) => {
          state.keys = { ...found, expiresAtMs: performance.now() + maxAgeSeconds * 1000 }
          state.nextRequestAtMs = performance.now() + minIntervalSeconds * 1000
          return state.keys
        },
        (error: unknown) => {
          state.nextRequestAtMs = performance.now() + retrySeconds * 1000
          if (!(error instanceof EgressError || error instanceof BadIssuerError)) throw error
          throw new IssuerUnavailableError(error.message, retrySeconds, { cause: error })
        },
      )
      .finally(() => {
        delete state.request
      })
    return state.request
  }

  #stateOf(issuer: string): IssuerState {
    let state = this.#issuers.get(issuer)
    if (!state) {
      if (this.#issuers.size >= maxIssuers) this.#issuers.delete(this.#issuers.keys().next().value ?? '')
      state = { nextRequestAtMs: 0 }
      this.#issuers.set(issuer, state)
    }
    return state
  }
}

/** The issuer responds, but not as OpenID Connect Discovery requires. */
class BadIssuerError extends Error {}

async function requestKeys(
  egress: Egress,
  issuer: string,
  timeoutSeconds: number,
): Promise<Pick<KeySet, 'keyIds' | 'findKey'>> {
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const discovered = await requestObject(egress, discoveryUrl, { timeoutSeconds, publicOnly: false })
  // Otherwise one issuer could have tokens verified with the keys of another one.
  if (discovered.issuer !== issuer) throw new BadIssuerError(`${discoveryUrl} does not name ${issuer} as its issuer.`)
  const keysUrl = typeof discovered.jwks_uri === 'string' ? URL.parse(discovered.jwks_uri) : null
  if (!keysUrl) throw new BadIssuerError(`${discoveryUrl} has no jwks_uri.`)
  // A remote server chooses this URL: it must not lead to an internal host, except to its own.
  const publicOnly = keysUrl.origin !== new URL(issuer).origin
  const { keys } = await requestObject(egress, keysUrl.href, { timeoutSeconds, publicOnly })
  if (!Array.isArray(keys) || keys.length > maxKeysPerIssuer)
    throw new BadIssuerError(`${keysUrl.href} is not a set of at most ${maxKeysPerIssuer} keys.`)
  const usable = keys.filter(isSigningKey)
  return { keyIds: new Set(usable.map(({ kid }) => kid)), findKey: createLocalJWKSet({ keys: usable }) }
}

async function requestObject(
  egress: Egress,
  url: string,
  { timeoutSeconds, publicOnly }: { timeoutSeconds: number; publicOnly: boolean },
): Promise<Record<string, unknown>> {
  const response = await egress.fetch(url, {
    headers: { accept: 'application/json' },
    limits: { idleTimeoutSeconds: timeoutSeconds, deadlineSeconds: timeoutSeconds, maxResponseBytes },
    publicOnly,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new BadIssuerError(`${url} responded with status ${response.status}. Redirects are not followed.`)
  }
  const value = parseObject(await response.text())
  if (!value) throw new BadIssuerError(`${url} did not respond with a JSON object.`)
  return value
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const asymmetricKeyTypes = ['RSA', 'EC', 'OKP']

const isSigningKey = (key: unknown): key is JWK & { kid: string } =>
  typeof key === 'object' &&
  key !== null &&
  'kid' in key &&
  typeof key.kid === 'string' &&
  'kty' in key &&
  asymmetricKeyTypes.includes(String(key.kty))
