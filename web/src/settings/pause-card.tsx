import type { ProjectSettings } from '@colophon/sdk'
import { Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { projectsQuery } from '../projects/project.ts'
import { Ago } from '../shown/ago.tsx'
import { Failure } from '../shown/failure.tsx'
import { projectSettingsQuery } from './queries.ts'
import { SettingsCard } from './settings-card.tsx'

export function PauseCard({
  projectId,
  settings: { pausedAt },
  canChange,
}: {
  projectId: string
  settings: ProjectSettings
  canChange: boolean
}) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (isPaused: boolean) =>
      isPaused ? client.projects.pause(projectId) : client.projects.resume(projectId),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: projectSettingsQuery(projectId).queryKey }),
        queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey }),
      ]),
  })
  return (
    <SettingsCard title="Pause">
      <Switch
        size="md"
        label="Pause the agent"
        description="Turns under way stop within seconds and are kept; new jobs are taken and wait. No model is called and nothing is published. When it goes on, each turn has the time that it had left."
        checked={change.isPending ? change.variables : pausedAt !== null}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
        disabled={!canChange || change.isPending}
      />
      {pausedAt !== null && (
        <Text size="sm">
          Paused <Ago at={pausedAt} />.
        </Text>
      )}
      <Failure error={change.error} />
    </SettingsCard>
  )
}
