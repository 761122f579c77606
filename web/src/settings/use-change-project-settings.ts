import type { ChangeProjectSettingsData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { modelsQuery } from '../jobs/job-queries.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { notifySaved } from './notify-saved.ts'
import { projectSettingsQuery } from './queries.ts'

/** Changes settings of the project, and shows the saved values. */
export function useChangeProjectSettings(projectId: string, savedMessage: string) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  return useMutation({
    mutationFn: (changes: ChangeProjectSettingsData['body']) =>
      withReauthentication(() => client.projects.changeSettings(projectId, changes)),
    onSuccess: (settings) => {
      queryClient.setQueryData(projectSettingsQuery(projectId).queryKey, settings)
      notifySaved(savedMessage)
      return queryClient.invalidateQueries({ queryKey: modelsQuery(projectId).queryKey })
    },
  })
}
