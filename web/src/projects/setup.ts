import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** Which setup steps of a project are done. */
export const setupQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['setup', projectId],
    queryFn: ({ signal }) => client.projects.setup(projectId, { signal }),
  })
