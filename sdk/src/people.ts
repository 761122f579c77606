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
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type PeopleCalls = ReturnType<typeof createPeopleCalls>

export const createPeopleCalls = (call: OperationCaller) => ({
  /**
   * The people of the instance, newest first. Awaited, one page; iterated, all of them.
   * @example
   * for await (const person of client.people.list()) console.log(person.email)
   */
  list: (query: NonNullable<ListPeopleData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) => call<ListPeopleData, ListPeopleResponse>('GET', { url: '/v2/people', query }, options),
      (page) => ({ items: page.people, next: nextCursorQuery(page) }),
    ),

  /**
   * What is revoked by default when the person is disabled or deleted.
   * @example
   * const created = await client.people.listCreated(personId)
   */
  listCreated: (personId: string, options?: CallOptions) =>
    call<ListPersonCreatedAccessData, ListPersonCreatedAccessResponse>(
      'GET',
      { url: '/v2/people/{personId}/created', path: { personId } },
      options,
    ),

  /**
   * Revokes what the person created, except the IDs in `keep`. Safe to repeat.
   * @example
   * await client.people.disable(personId, { keep: [keyId] })
   */
  disable: (personId: string, body: DisablePersonData['body'] = {}, options?: CallOptions) =>
    call<DisablePersonData, DisablePersonResponse>(
      'POST',
      { url: '/v2/people/{personId}/disable', path: { personId }, body },
      options,
    ),

  /**
   * Lets a disabled person sign in again. What was revoked stays revoked.
   * @example
   * await client.people.enable(personId)
   */
  enable: (personId: string, options?: CallOptions) =>
    call<EnablePersonData, EnablePersonResponse>(
      'POST',
      { url: '/v2/people/{personId}/enable', path: { personId } },
      options,
    ),

  /**
   * Returns the person as they were before.
   * @example
   * await client.people.delete(personId)
   */
  delete: (personId: string, query: NonNullable<DeletePersonData['query']> = {}, options?: CallOptions) =>
    call<DeletePersonData, DeletePersonResponse>(
      'DELETE',
      { url: '/v2/people/{personId}', path: { personId }, query },
      options,
    ),

  /**
   * Signs a person out everywhere.
   * @example
   * await client.people.endSessions(personId)
   */
  endSessions: (personId: string, options?: CallOptions) =>
    call<EndSessionsData, EndSessionsResponse>(
      'DELETE',
      { url: '/v2/people/{personId}/sessions', path: { personId } },
      options,
    ),

  /**
   * Makes a person an operator of the instance.
   * @example
   * await client.people.addOperator(personId)
   */
  addOperator: (personId: string, options?: CallOptions) =>
    call<AddOperatorData, AddOperatorResponse>(
      'POST',
      { url: '/v2/people/{personId}/operator', path: { personId } },
      options,
    ),

  /**
   * Makes an operator an ordinary person again.
   * @example
   * await client.people.revokeOperator(personId)
   */
  revokeOperator: (personId: string, options?: CallOptions) =>
    call<RevokeOperatorData, RevokeOperatorResponse>(
      'DELETE',
      { url: '/v2/people/{personId}/operator', path: { personId } },
      options,
    ),
})
