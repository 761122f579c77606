/** Faults that tests inject, per account, so that other tests on the same simulator are not affected. */
import { ApiError, type ApiResponse } from './api-error.ts'
import type { Account, State } from './state.ts'

export type FaultKind =
  /** 500, 502 or 503 without any effect. */
  | 'server_error'
  /** 403 with `retry-after`. */
  | 'secondary_limit'
  /** Like `secondary_limit`, with 429. */
  | 'too_many_requests'
  /** 403: the hourly rate limit is exceeded. */
  | 'primary_limit'
  /** 401 for every token. */
  | 'bad_credentials'
  /** The operation is performed, then the connection is closed without a response. */
  | 'lost_response'
  | 'slow'

export interface AccountFaults {
  /** Faults of the next calls, one each. With an operation: of the next call of that operation. */
  next?: { kind: FaultKind; operation?: string }[]
  /** Probability of each kind, between 0 and 1, for every call. */
  chances?: Partial<Record<FaultKind, number>>
  /** The same seed leads to the same sequence of faults. */
  seed?: number
  /** The faults end after this time. */
  forSeconds?: number
  slowMs?: number
  retryAfterSeconds?: number
  webhooks?: WebhookFaults
}

export interface WebhookFaults {
  /** Probabilities between 0 and 1. */
  drop?: number
  duplicate?: number
  /** Each delivery is delayed by a random time up to this, so that deliveries arrive out of order. */
  maxDelayMs?: number
}

interface ActiveFaults {
  faults: AccountFaults
  random: () => number
  endsAtMs: number
}

export class FaultInjector {
  readonly #byAccount = new Map<Account, ActiveFaults>()

  set(account: Account, faults: AccountFaults): void {
    const endsAtMs = faults.forSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + faults.forSeconds * 1000
    this.#byAccount.set(account, { faults, random: seededRandom(faults.seed ?? 1), endsAtMs })
  }

  #active(account: Account | undefined): ActiveFaults | undefined {
    const active = account && this.#byAccount.get(account)
    return active && Date.now() < active.endsAtMs ? active : undefined
  }

  /** Removes and returns the fault of this call, if it has one. */
  next(account: Account | undefined, operation: string): FaultKind | undefined {
    const active = this.#active(account)
    if (!active) return undefined
    const { next = [], chances = {} } = active.faults
    const index = next.findIndex((fault) => fault.operation === undefined || fault.operation === operation)
    if (index >= 0) return next.splice(index, 1)[0]?.kind
    let draw = active.random()
    for (const [kind, chance] of Object.entries(chances) as [FaultKind, number][]) {
      if (draw < chance) return kind
      draw -= chance
    }
    return undefined
  }

  slowMs(account: Account | undefined): number {
    return this.#active(account)?.faults.slowMs ?? 2000
  }

  /** Undefined for kinds that do not replace the response. */
  errorResponse(kind: FaultKind, account: Account | undefined): ApiResponse | undefined {
    const active = this.#active(account)
    const retryAfterSeconds = active?.faults.retryAfterSeconds ?? 1
    const headers = { 'retry-after': String(retryAfterSeconds) }
    const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
    switch (kind) {
      case 'server_error': {
        const status = [500, 502, 503][Math.floor((active?.random() ?? 0) * 3)] ?? 502
        return new ApiError(status, 'Server Error').response
      }
      case 'secondary_limit':
        return new ApiError(403, secondary, { headers }).response
      case 'too_many_requests':
        return new ApiError(429, secondary, { headers }).response
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

  /** The webhook faults of the account, and its random number generator. */
  webhookFaults(account: Account | undefined): Required<WebhookFaults> & { random: () => number } {
    const active = this.#active(account)
    const faults = active?.faults.webhooks ?? {}
    return { drop: 0, duplicate: 0, maxDelayMs: 0, ...faults, random: active?.random ?? Math.random }
  }
}

/** The account whose faults apply to a call: the owner of the repository, otherwise the account of the token. */
export function affectedAccount(state: State, path: string, authorization: string | undefined): Account | undefined {
  const [, owner, repository, installation] =
    /^\/repos\/([^/]+)\/|^\/repositories\/(\d+)|^\/app\/installations\/(\d+)/.exec(`${path}/`) ?? []
  if (owner !== undefined) return state.account(decodeURIComponent(owner))
  if (repository !== undefined) return state.repositories.get(Number(repository))?.owner
  if (installation !== undefined) return state.installations.get(Number(installation))?.account
  const token = state.tokens.get(authorization?.split(' ')[1] ?? '')
  return token?.kind === 'installation' ? token.installation.account : token?.user
}

/** mulberry32: a small generator with the same sequence on every platform. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
