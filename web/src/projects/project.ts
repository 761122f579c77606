import type { ListProjectsResponse } from '@colophon/sdk'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { client } from '../app/client.ts'

/** The projects of whoever is signed in, with their role in each. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => client.projects.list({ signal }),
  staleTime: 30_000,
})

export type ProjectOfMine = ListProjectsResponse['projects'][number]

/** The project that the address names, or undefined: there is none, or it is none of theirs. */
export function useProjectOfMine(): ProjectOfMine | undefined {
  const { projectId } = useParams({ strict: false })
  return useSuspenseQuery(projectsQuery).data.projects.find(({ id }) => id === projectId)
}

/** For what stands inside the project's frame, which is there only where there is a project. */
export function useProject(): ProjectOfMine {
  const project = useProjectOfMine()
  if (!project) throw new Error('A page of a project stands outside its frame.')
  return project
}

/** Who may post jobs and tell of views; owners change settings and hand out keys on top of that. */
export const mayWork = ({ role }: ProjectOfMine): boolean => role !== 'viewer'
export const mayManage = ({ role }: ProjectOfMine): boolean => role === 'owner'
