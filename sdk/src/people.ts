import type {
  AddOperatorData,
  AddOperatorResponse,
  DeletePersonData,
  DeletePersonResponse,
  DisablePersonData,
  DisablePersonResponse,
  EnablePersonData,
  EnablePersonResponse,
  EndSessionsData,
  EndSessionsResponse,
  ListPeopleData,
  ListPeopleResponse,
  ListPersonCreatedAccessData,
  ListPersonCreatedAccessResponse,
  RevokeOperatorData,
  RevokeOperatorResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type PeopleCalls = ReturnType<typeof createPeopleCalls>

export const createPeopleCalls = (call: OperationCaller) => ({
  /** One page, newest first. */
  list: (query: NonNullable<ListPeopleData['query']> = {}, options?: CallOptions) =>
    call<ListPeopleData, ListPeopleResponse>('GET', { url: '/v2/people', query }, options),

  /** What is revoked by default when the person is disabled or deleted. */
  listCreated: (personId: string, options?: CallOptions) =>
    call<ListPersonCreatedAccessData, ListPersonCreatedAccessResponse>(
      'GET',
      { url: '/v2/people/{personId}/created', path: { personId } },
      options,
    ),

  /** Revokes what the person created, except the IDs in `keep`. Safe to repeat. */
  disable: (personId: string, body: DisablePersonData['body'] = {}, options?: CallOptions) =>
    call<DisablePersonData, DisablePersonResponse>(
      'POST',
      { url: '/v2/people/{personId}/disable', path: { personId }, body },
      options,
    ),

  enable: (personId: string, options?: CallOptions) =>
    call<EnablePersonData, EnablePersonResponse>(
      'POST',
      { url: '/v2/people/{personId}/enable', path: { personId } },
      options,
    ),

  /** Returns the person as they were before. */
  delete: (personId: string, query: NonNullable<DeletePersonData['query']> = {}, options?: CallOptions) =>
    call<DeletePersonData, DeletePersonResponse>(
      'DELETE',
      { url: '/v2/people/{personId}', path: { personId }, query },
      options,
    ),

  endSessions: (personId: string, options?: CallOptions) =>
    call<EndSessionsData, EndSessionsResponse>(
      'DELETE',
      { url: '/v2/people/{personId}/sessions', path: { personId } },
      options,
    ),

  addOperator: (personId: string, options?: CallOptions) =>
    call<AddOperatorData, AddOperatorResponse>(
      'POST',
      { url: '/v2/people/{personId}/operator', path: { personId } },
      options,
    ),

  revokeOperator: (personId: string, options?: CallOptions) =>
    call<RevokeOperatorData, RevokeOperatorResponse>(
      'DELETE',
      { url: '/v2/people/{personId}/operator', path: { personId } },
      options,
    ),
})
