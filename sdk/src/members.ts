import type {
  AddMemberData,
  AddMemberResponse,
  ChangeMemberRoleData,
  ChangeMemberRoleResponse,
  GetRequiredSecondFactorData,
  ListCreatedAccessData,
  ListCreatedAccessResponse,
  ListMembersData,
  ListMembersResponse,
  RemoveMemberData,
  RemoveMemberResponse,
  RequiredSecondFactor,
  RequireSecondFactorData,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type MemberCalls = ReturnType<typeof createMemberCalls>

export const createMemberCalls = (call: OperationCaller) => ({
  /**
   * Members of a project, newest first. Awaited, one page; iterated, all of them.
   * @example
   * for await (const member of client.members.list(projectId)) console.log(member.email, member.role)
   */
  list: (projectId: string, query: NonNullable<ListMembersData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListMembersData, ListMembersResponse>(
          'GET',
          { url: '/v2/projects/{projectId}/members', path: { projectId }, query },
          options,
        ),
      (page) => ({ items: page.members, next: nextCursorQuery(page) }),
    ),

  /**
   * Safe to repeat: an existing member is returned unchanged.
   * @example
   * await client.members.add(projectId, { email: 'kim@example.com', role: 'editor' })
   */
  add: (projectId: string, body: AddMemberData['body'], options?: CallOptions) =>
    call<AddMemberData, AddMemberResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/members', path: { projectId }, body },
      options,
    ),

  /**
   * Changes the role of a member. A lower role also revokes what they created that exceeds it, except the IDs in `keep`.
   * @example
   * await client.members.changeRole(projectId, memberId, { role: 'viewer' })
   */
  changeRole: (projectId: string, memberId: string, body: ChangeMemberRoleData['body'], options?: CallOptions) =>
    call<ChangeMemberRoleData, ChangeMemberRoleResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}/members/{memberId}', path: { projectId, memberId }, body },
      options,
    ),

  /**
   * Whether the members of a project must have a second factor.
   * @example
   * const { required } = await client.members.getSecondFactorRule(projectId)
   */
  getSecondFactorRule: (projectId: string, options?: CallOptions) =>
    call<GetRequiredSecondFactorData, RequiredSecondFactor>(
      'GET',
      { url: '/v2/projects/{projectId}/second-factor', path: { projectId } },
      options,
    ),

  /**
   * Sets whether members need a second factor to use the project. Only a person who has one can require it.
   * @example
   * await client.members.requireSecondFactor(projectId, { required: true })
   */
  requireSecondFactor: (projectId: string, body: RequireSecondFactorData['body'], options?: CallOptions) =>
    call<RequireSecondFactorData, RequiredSecondFactor>(
      'PATCH',
      { url: '/v2/projects/{projectId}/second-factor', path: { projectId }, body },
      options,
    ),

  /**
   * What is revoked by default when the member is removed or, with `role`, when they get that lower role.
   * @example
   * const created = await client.members.listCreated(projectId, memberId, { role: 'viewer' })
   */
  listCreated: (
    projectId: string,
    memberId: string,
    query: NonNullable<ListCreatedAccessData['query']> = {},
    options?: CallOptions,
  ) =>
    call<ListCreatedAccessData, ListCreatedAccessResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/members/{memberId}/created', path: { projectId, memberId }, query },
      options,
    ),

  /**
   * Returns the member as they were before. Revokes what they created, except the IDs in `keep`.
   * @example
   * await client.members.remove(projectId, memberId)
   */
  remove: (
    projectId: string,
    memberId: string,
    query: NonNullable<RemoveMemberData['query']> = {},
    options?: CallOptions,
  ) =>
    call<RemoveMemberData, RemoveMemberResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/members/{memberId}', path: { projectId, memberId }, query },
      options,
    ),
})
