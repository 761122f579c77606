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
import type { CallOptions } from './request.ts'

export type MemberCalls = ReturnType<typeof createMemberCalls>

export const createMemberCalls = (call: OperationCaller) => ({
  list: (projectId: string, query: NonNullable<ListMembersData['query']> = {}, options?: CallOptions) =>
    call<ListMembersData, ListMembersResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/members', path: { projectId }, query },
      options,
    ),

  /** Safe to repeat: an existing member is returned unchanged. */
  add: (projectId: string, body: AddMemberData['body'], options?: CallOptions) =>
    call<AddMemberData, AddMemberResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/members', path: { projectId }, body },
      options,
    ),

  changeRole: (projectId: string, memberId: string, body: ChangeMemberRoleData['body'], options?: CallOptions) =>
    call<ChangeMemberRoleData, ChangeMemberRoleResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}/members/{memberId}', path: { projectId, memberId }, body },
      options,
    ),

  getSecondFactorRule: (projectId: string, options?: CallOptions) =>
    call<GetRequiredSecondFactorData, RequiredSecondFactor>(
      'GET',
      { url: '/v2/projects/{projectId}/second-factor', path: { projectId } },
      options,
    ),

  requireSecondFactor: (projectId: string, body: RequireSecondFactorData['body'], options?: CallOptions) =>
    call<RequireSecondFactorData, RequiredSecondFactor>(
      'PATCH',
      { url: '/v2/projects/{projectId}/second-factor', path: { projectId }, body },
      options,
    ),

  /** What is revoked by default when the member is removed or, with `role`, when they get that lower role. */
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

  /** Returns the member as they were before. Revokes what they created, except the IDs in `keep`. */
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
