import type { AuditedRequest } from '../../audit/audit-store.ts'
import type { Id } from '../../platform/ids.ts'
import { decodeIdToken } from './decode-id-token.ts'
import { describeMismatch, type FederatedIdentity } from './federated-identity.ts'
import type { ExchangedKey, FederatedIdentityStore } from './federated-identity-store.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { TokenRejection } from './token-rejection.ts'
import { verifyIdToken } from './verify-id-token.ts'

/** Exchanges the ID token of a CI run for a short-lived key of a project that has a federated identity for it. */
export class TokenExchanger {
  readonly #identities: FederatedIdentityStore
  readonly #issuerKeys: IssuerKeys
  /** The audience that tokens must have, so that tokens for other services are of no use here. */
  readonly #audience: string

  constructor(identities: FederatedIdentityStore, issuerKeys: IssuerKeys, audience: string) {
    this.#identities = identities
    this.#issuerKeys = issuerKeys
    this.#audience = audience
  }

  /**
   * `identities`: of the project. Nothing is requested from an issuer that none of them trusts. Throws a `TokenRejection`, or an
   * `IssuerUnavailableError` if it is worth trying again.
   */
  async exchange(
    projectId: Id<'prj'>,
    identities: readonly FederatedIdentity[],
    token: string,
    request: AuditedRequest,
  ): Promise<ExchangedKey> {
    const { issuer, audience, keyId, hash } = decodeIdToken(token)
    if (audience !== this.#audience)
      throw new TokenRejection('audience_differs', {
        detail: { expected: this.#audience },
        hint: `Its audience must be ${this.#audience}: request the token with this audience.`,
      })
    const trusted = identities.filter((identity) => identity.issuer === issuer)
    if (trusted.length === 0) throw new TokenRejection('no_identity_for_issuer')
    const findKey = await this.#issuerKeys.get(issuer, keyId, projectId)
    const verified = await verifyIdToken(token, findKey, { issuer, audience: this.#audience })
    return this.#identities.createKey(findMatch(trusted, verified.claims), { ...verified, hash }, request)
  }
}

/** Of several, the one with the most conditions, then the oldest. */
function findMatch(
  identities: readonly FederatedIdentity[],
  claims: Readonly<Record<string, unknown>>,
): FederatedIdentity {
  const compared = identities.map((identity) => ({ identity, mismatch: describeMismatch(identity, claims) }))
  const [best] = compared
    .filter(({ mismatch }) => mismatch === undefined)
    .map(({ identity }) => identity)
    .toSorted((a, b) => countClaims(b) - countClaims(a) || (a.id < b.id ? -1 : 1))
  if (best) return best
  throw new TokenRejection('claims_differ', {
    detail: {
      mismatches: compared.slice(0, 10).map(({ identity, mismatch }) => ({ identity: identity.id, ...mismatch })),
    },
  })
}

const countClaims = ({ claims }: FederatedIdentity): number => Object.keys(claims).length
