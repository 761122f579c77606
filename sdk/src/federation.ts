import type {
  CreateFederatedIdentityData,
  CreateFederatedIdentityResponse,
  DeleteFederatedIdentityData,
  DeleteFederatedIdentityResponse,
  ExchangeTokenData,
  ExchangeTokenResponse,
  ListFederatedIdentitiesData,
  ListFederatedIdentitiesResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type FederationCalls = ReturnType<typeof createFederationCalls>

export const createFederationCalls = (call: OperationCaller) => ({
  /**
   * The CI runs that can get short-lived keys of the project, newest first.
   * @example
   * const { identities, audience } = await client.federation.list(projectId)
   */
  list: (projectId: string, options?: CallOptions) =>
    call<ListFederatedIdentitiesData, ListFederatedIdentitiesResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/federated-identities', path: { projectId } },
      options,
    ),

  /**
   * Runs with these claims can exchange their ID tokens for keys from now on.
   * @example
   * await client.federation.create(projectId, {
   *   name: 'Product repository',
   *   provider: 'github',
   *   claims: { repository: 'acme/product', ref: 'refs/heads/main' },
   * })
   */
  create: (projectId: string, body: CreateFederatedIdentityData['body'], options?: CallOptions) =>
    call<CreateFederatedIdentityData, CreateFederatedIdentityResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/federated-identities', path: { projectId }, body },
      options,
    ),

  /**
   * Also revokes the keys that were given out for it. Returns the remaining ones.
   * @example
   * await client.federation.delete(projectId, identityId)
   */
  delete: (projectId: string, identityId: string, options?: CallOptions) =>
    call<DeleteFederatedIdentityData, DeleteFederatedIdentityResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/federated-identities/{identityId}', path: { projectId, identityId } },
      options,
    ),

  /**
   * For CI runs: gets a short-lived key. The client needs no API key for this call. A token can be exchanged once.
   * @example
   * const { secret, expiresAt } = await client.federation.exchangeToken(projectId, { token })
   */
  exchangeToken: (projectId: string, body: ExchangeTokenData['body'], options?: CallOptions) =>
    call<ExchangeTokenData, ExchangeTokenResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/token-exchange', path: { projectId }, body },
      options,
    ),
})
