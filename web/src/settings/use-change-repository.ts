import type { ChangeRepositoryData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { repositoryQuery } from './queries.ts'
import { tellSaved } from './saved.ts'

/** Changes where in its repository a project works, or how it publishes, and shows it as it is then. */
export function useChangeRepository(projectId: string, said: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (changes: ChangeRepositoryData['body']) => client.repository.change(projectId, changes),
    onSuccess: (repository) => {
      queryClient.setQueryData(repositoryQuery(projectId).queryKey, { repository })
      tellSaved(said)
    },
  })
}
