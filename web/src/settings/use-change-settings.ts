import type { ChangeProjectSettingsData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { modelsQuery } from '../jobs/job-queries.ts'
import { projectSettingsQuery } from './queries.ts'
import { tellSaved } from './saved.ts'

/** Saves some of a project's settings, and shows them as they are then. */
export function useChangeSettings(projectId: string, said: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (changes: ChangeProjectSettingsData['body']) => client.projects.changeSettings(projectId, changes),
    onSuccess: (settings) => {
      queryClient.setQueryData(projectSettingsQuery(projectId).queryKey, settings)
      tellSaved(said)
      return queryClient.invalidateQueries({ queryKey: modelsQuery(projectId).queryKey })
    },
  })
}
