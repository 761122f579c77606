import type { ListProjectsResponse } from '@colophon/sdk'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { client } from '../app/client.ts'

/** The projects of the signed-in person, with their role in each. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => client.projects.list({ signal }),
  staleTime: 30_000,
})

export type MyProject = ListProjectsResponse['projects'][number]

/** The project in the URL. Undefined if it does not exist or the person is not a member. */
export function useOptionalProject(): MyProject | undefined {
  const { projectId } = useParams({ strict: false })
  return useSuspenseQuery(projectsQuery).data.projects.find(({ id }) => id === projectId)
}

/** For components inside `ProjectLayout`, which renders them only if there is a project. */
export function useProject(): MyProject {
  const project = useOptionalProject()
  if (!project) throw new Error('useProject is used outside ProjectLayout.')
  return project
}

/** Editors and owners can manage jobs and report views. Only owners can also change settings and create API keys. */
export const canEdit = ({ role }: MyProject): boolean => role !== 'viewer'
export const canManage = ({ role }: MyProject): boolean => role === 'owner'
