import type { ChangeRepositoryData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { notifySaved } from './notify-saved.ts'
import { repositoryQuery } from './queries.ts'

/** Changes the docs location, or how pull requests are opened, and shows the saved values. */
export function useChangeRepositorySettings(projectId: string, savedMessage: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (changes: ChangeRepositoryData['body']) => client.repository.change(projectId, changes),
    onSuccess: (repository) => {
      queryClient.setQueryData(repositoryQuery(projectId).queryKey, { repository })
      notifySaved(savedMessage)
    },
  })
}
