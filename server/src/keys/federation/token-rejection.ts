/** Why an ID token is not exchanged for a key. Owners find it in the audit log. */
export type RejectionReason =
  | 'malformed'
  | 'algorithm_not_allowed'
  | 'audience_differs'
  | 'no_identity_for_issuer'
  | 'signing_key_unknown'
  | 'signature_invalid'
  | 'expired'
  | 'not_yet_valid'
  | 'too_old'
  | 'claim_missing'
  | 'claims_differ'
  | 'already_exchanged'

export class TokenRejection extends Error {
  override readonly name = 'TokenRejection'
  readonly reason: RejectionReason
  /** For an owner of the project, never for the caller. */
  readonly detail: Readonly<Record<string, unknown>>
  /** What the caller is told. Only about the token itself, which the caller knows anyway. Undefined: nothing but that it is rejected. */
  readonly hint: string | undefined

  constructor(
    reason: RejectionReason,
    { detail = {}, hint, cause }: { detail?: Record<string, unknown>; hint?: string; cause?: unknown } = {},
  ) {
    super(`the ID token is rejected: ${reason}`, { cause })
    this.reason = reason
    this.detail = detail
    this.hint = hint
  }
}

/** The keys of the issuer cannot be read at the moment. The message is for an owner. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
