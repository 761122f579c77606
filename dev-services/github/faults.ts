/** How the stand-in misbehaves, for one account at a time: others that share it are not disturbed. */
import { type Answer, ApiError } from './api-error.ts'
import type { Account, State } from './state.ts'

export type FaultKind =
  /** 500, 502 or 503; nothing was done. */
  | 'server_error'
  /** 403 with `retry-after`. */
  | 'secondary_limit'
  /** The same as 429. */
  | 'too_many_requests'
  /** 403: the hour's calls are used up. */
  | 'primary_limit'
  /** 401, whatever the token. */
  | 'bad_credentials'
  /** The work is done, then the connection is cut. */
  | 'lost_response'
  | 'slow'

export interface AccountFaults {
  /** Of the next calls, one each; with an operation: of the next call of that. */
  next?: { kind: FaultKind; operation?: string }[]
  /** Chance of each kind, between 0 and 1, at every call. */
  chances?: Partial<Record<FaultKind, number>>
  /** The same seed, the same dice. */
  seed?: number
  /** Then all is well again. */
  forSeconds?: number
  slowMs?: number
  retryAfterSeconds?: number
  webhooks?: WebhookFaults
}

export interface WebhookFaults {
  /** Chances between 0 and 1. */
  drop?: number
  double?: number
  /** Each is late by up to this much: they come out of order. */
  maxDelayMs?: number
}

interface SetFaults {
  faults: AccountFaults
  random: () => number
  until: number
}

export class Faults {
  readonly #byAccount = new Map<Account, SetFaults>()

  set(account: Account, faults: AccountFaults): void {
    const until = faults.forSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + faults.forSeconds * 1000
    this.#byAccount.set(account, { faults, random: dice(faults.seed ?? 1), until })
  }

  #of(account: Account | undefined): SetFaults | undefined {
    const set = account && this.#byAccount.get(account)
    return set && Date.now() < set.until ? set : undefined
  }

  /** What befalls this call. */
  take(account: Account | undefined, operation: string): FaultKind | undefined {
    const set = this.#of(account)
    if (!set) return undefined
    const { next = [], chances = {} } = set.faults
    const at = next.findIndex((one) => one.operation === undefined || one.operation === operation)
    if (at >= 0) return next.splice(at, 1)[0]?.kind
    let draw = set.random()
    for (const [kind, chance] of Object.entries(chances) as [FaultKind, number][]) {
      if (draw < chance) return kind
      draw -= chance
    }
    return undefined
  }

  slowMs(account: Account | undefined): number {
    return this.#of(account)?.faults.slowMs ?? 2000
  }

  /** Undefined: this kind answers nothing by itself. */
  refusal(kind: FaultKind, account: Account | undefined): Answer | undefined {
    const set = this.#of(account)
    const retryAfterSeconds = set?.faults.retryAfterSeconds ?? 1
    const later = { 'retry-after': String(retryAfterSeconds) }
    const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
    switch (kind) {
      case 'server_error': {
        const status = [500, 502, 503][Math.floor((set?.random() ?? 0) * 3)] ?? 502
        return new ApiError(status, 'Server Error').response
      }
      case 'secondary_limit':
        return new ApiError(403, secondary, { headers: later }).response
      case 'too_many_requests':
        return new ApiError(429, secondary, { headers: later }).response
      case 'primary_limit': {
        const reset = String(Math.ceil(Date.now() / 1000) + retryAfterSeconds)
        const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '5000', 'x-ratelimit-reset': reset }
        return new ApiError(403, `API rate limit exceeded for ${account?.login}.`, { headers }).response
      }
      case 'bad_credentials':
        return new ApiError(401, 'Bad credentials').response
      case 'lost_response':
      case 'slow':
        return undefined
    }
  }

  /** With the dice that decide. */
  ofWebhooks(account: Account | undefined): Required<WebhookFaults> & { random: () => number } {
    const set = this.#of(account)
    const given = set?.faults.webhooks ?? {}
    return { drop: 0, double: 0, maxDelayMs: 0, ...given, random: set?.random ?? Math.random }
  }
}

/** Whose business a call is: that of the repository's owner, else of whoever was given the token. */
export function accountConcerned(state: State, path: string, authorization: string | undefined): Account | undefined {
  const [, owner, repository, installation] =
    /^\/repos\/([^/]+)\/|^\/repositories\/(\d+)|^\/app\/installations\/(\d+)/.exec(`${path}/`) ?? []
  if (owner !== undefined) return state.account(decodeURIComponent(owner))
  if (repository !== undefined) return state.repositories.get(Number(repository))?.owner
  if (installation !== undefined) return state.installations.get(Number(installation))?.account
  const token = state.tokens.get(authorization?.split(' ')[1] ?? '')
  return token?.kind === 'installation' ? token.installation.account : token?.user
}

/** mulberry32: small, and the same everywhere. */
function dice(seed: number): () => number {
  let at = seed
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let value = Math.imul(at ^ (at >>> 15), 1 | at)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
