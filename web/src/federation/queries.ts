import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

export const identitiesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['federated-identities', projectId],
    queryFn: ({ signal }) => client.federation.list(projectId, { signal }),
  })
