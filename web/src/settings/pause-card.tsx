import type { ProjectSettings } from '@colophon/sdk'
import { List, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { projectsQuery } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
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
        description="No agent runs, no model is called and nothing is published: nothing is pushed, and no pull request is opened or changed."
        checked={change.isPending ? change.variables : pausedAt !== null}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
        disabled={!canChange || change.isPending}
      />
      <List size="sm">
        <List.Item>A running turn stops within seconds. After you resume, it is repeated from its start.</List.Item>
        <List.Item>A finished result is published after you resume.</List.Item>
        <List.Item>New jobs and messages are accepted and wait. The pause does not count toward deadlines.</List.Item>
        <List.Item>Page views are still counted.</List.Item>
      </List>
      {pausedAt !== null && (
        <Text size="sm">
          Paused <RelativeTime at={pausedAt} />.
        </Text>
      )}
      <ErrorAlert error={change.error} />
    </SettingsCard>
  )
}
