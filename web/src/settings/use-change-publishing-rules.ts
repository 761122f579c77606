import type { ChangePublishingRulesData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { notifySaved } from './notify-saved.ts'
import { repositoryQuery } from './queries.ts'

/** Changes the publishing rules of the repository, and shows the saved values. */
export function useChangePublishingRules(projectId: string, savedMessage: string) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  return useMutation({
    mutationFn: (changes: ChangePublishingRulesData['body']) =>
      withReauthentication(() => client.repository.changeRules(projectId, changes)),
    onSuccess: (repository) => {
      queryClient.setQueryData(repositoryQuery(projectId).queryKey, { repository })
      notifySaved(savedMessage)
    },
  })
}
