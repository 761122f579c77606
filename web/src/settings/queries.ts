import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

export const repositoryQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['repository', projectId],
    queryFn: ({ signal }) => client.repository.get(projectId, { signal }),
  })

export const projectSettingsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project-settings', projectId],
    queryFn: ({ signal }) => client.projects.settings(projectId, { signal }),
  })

export const instanceModelsQuery = queryOptions({
  queryKey: ['instance-models'],
  queryFn: ({ signal }) => client.models.list({ signal }),
})

export const membersQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['members', projectId],
    queryFn: ({ signal }) => client.members.list(projectId, { limit: 250 }, { signal }),
  })

/** What is revoked when the member is removed or, with a role, gets that lower role. */
export const createdAccessQuery = (
  projectId: string,
  memberId: string,
  role: 'owner' | 'editor' | 'viewer' | undefined,
) =>
  queryOptions({
    queryKey: ['created-access', projectId, memberId, role ?? null],
    queryFn: ({ signal }) => client.members.listCreated(projectId, memberId, role && { role }, { signal }),
  })

export const invitationsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['invitations', projectId],
    queryFn: ({ signal }) => client.invitations.list(projectId, { signal }),
  })

export const runnersQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['runners', projectId],
    queryFn: ({ signal }) => client.runners.list(projectId, { signal }),
    refetchInterval: 5_000, // so that a runner appears soon after its start
  })

export const healthQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['health', projectId],
    queryFn: ({ signal }) => client.projects.health(projectId, { signal }),
    refetchInterval: 5_000,
  })
