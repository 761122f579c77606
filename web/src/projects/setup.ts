import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** How far a project has come. */
export const setupQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['setup', projectId],
    queryFn: ({ signal }) => client.projects.setup(projectId, { signal }),
  })
