/**
 * Strangers learn only what they know anyway: what is wrong with the token itself. Whether the project exists, and which of its federated
 * identities almost matched, is for its owners, in the audit log.
 */
import type { AuditedActor } from '../../audit/audit-store.ts'
import type { ExchangedKey, FederatedIdentityStore } from '../../keys/federation/federated-identity-store.ts'
import type { TokenExchanger } from '../../keys/federation/token-exchanger.ts'
import { IssuerUnavailableError, TokenRejection } from '../../keys/federation/token-rejection.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import type { DenialAudit } from '../denial-audit.ts'
import type { HttpRequestDetails } from '../route.ts'

export interface ExchangeTokenDeps {
  federatedIdentities: FederatedIdentityStore
  tokenExchanger: TokenExchanger
  denials: DenialAudit
}

const route = 'POST /v2/projects/:projectId/token-exchange'

export async function exchangeToken(
  { federatedIdentities, tokenExchanger, denials }: ExchangeTokenDeps,
  projectId: string,
  token: string,
  { requestId, ipAddress }: HttpRequestDetails,
): Promise<ExchangedKey> {
  if (!isId('prj', projectId)) throw createProblem(new TokenRejection('no_identity_for_issuer'))
  const identities = await federatedIdentities.list(projectId)
  try {
    return await tokenExchanger.exchange(projectId, identities, token, { requestId, ipAddress })
  } catch (error) {
    const failure = describeFailure(error)
    if (!failure) throw error
    const problem = createProblem(error)
    // Of a project that expects no tokens, nobody waits for an explanation, and strangers could fill its log.
    const anonymous: AuditedActor = { kind: 'anonymous', requestId, ipAddress }
    if (identities.length > 0) denials.record(projectId, anonymous, { route, problem, ...failure })
    throw problem
  }
}

function describeFailure(error: unknown): { reason: string; detail: Readonly<Record<string, unknown>> } | undefined {
  if (error instanceof TokenRejection) return { reason: error.reason, detail: error.detail }
  if (error instanceof IssuerUnavailableError)
    return { reason: 'issuer_unavailable', detail: { because: error.message } }
  return undefined
}

function createProblem(error: unknown): Problem {
  if (error instanceof IssuerUnavailableError)
    return new Problem(
      'unavailable',
      `The keys of the token's issuer cannot be read at the moment. Retry in ${error.retryAfterSeconds} s. If it keeps failing, an owner ` +
        'of the project finds the reason in the audit log.',
      { headers: { 'retry-after': String(error.retryAfterSeconds) }, cause: error },
    )
  const hint = error instanceof TokenRejection ? error.hint : undefined
  return new Problem(
    'unauthenticated',
    hint === undefined
      ? 'The ID token was rejected. Check that the project has a federated identity for the issuer, the repository and the branch of this ' +
          'run, that the run is not for a pull request, and that the token has not expired and was not exchanged before. An owner of the ' +
          'project finds the reason in the audit log.'
      : `The ID token was rejected. ${hint}`,
    { cause: error },
  )
}
