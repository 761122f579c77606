/** Hosts and CDNs that send their access logs, and a form to add one. */
import type { LogDrain } from '@colophon/sdk'
import { Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { canManage, useProject } from '../projects/project.ts'
import { ConfirmModal } from '../settings/confirm-modal.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { LogDrainRow } from './log-drain-row.tsx'
import { CreatedLogDrainAlert, type NewLogDrain, NewLogDrainForm } from './new-log-drain-form.tsx'
import { logDrainsQuery } from './queries.ts'

export function LogDrainsCard({ projectId }: { projectId: string }) {
  const canChange = canManage(useProject())
  const queryClient = useQueryClient()
  const { data, error } = useQuery(logDrainsQuery(projectId))
  const [deleting, setDeleting] = useState<LogDrain>()
  const refresh = () => queryClient.invalidateQueries({ queryKey: logDrainsQuery(projectId).queryKey })
  const remove = useMutation({
    mutationFn: (id: string) => client.views.deleteLogDrain(projectId, id),
    onSuccess: () => {
      setDeleting(undefined)
      return refresh()
    },
  })
  const create = useMutation({
    mutationFn: (drain: NewLogDrain) => client.views.createLogDrain(projectId, drain),
    onSuccess: refresh,
  })
  const drains = data?.logDrains ?? []
  return (
    <Paper withBorder p="md" mb="lg">
      <Title order={2} size="h4" mb="xs">
        Log drains
      </Title>
      <Text size="sm" mb="sm">
        If your site is on a static host or behind a CDN, have it send its access logs here: they contain all requests,
        including those from AI clients. A line that is delivered again is counted once.{' '}
        <DocsLink page="log-drains" inherit>
          Learn about log drains
        </DocsLink>
      </Text>
      <ErrorAlert error={error} title="The log drains could not be loaded" />
      <Stack gap="md">
        {drains.map((drain) => (
          <LogDrainRow
            key={drain.id}
            projectId={projectId}
            drain={drain}
            canChange={canChange}
            onDelete={() => setDeleting(drain)}
          />
        ))}
        {create.data && <CreatedLogDrainAlert created={create.data} />}
        {canChange && <NewLogDrainForm create={create.mutate} isPending={create.isPending} />}
        <ErrorAlert error={create.error} />
        {!canChange && drains.length === 0 && data && (
          <Text size="sm">This project has no log drains yet. Ask an owner to add one.</Text>
        )}
      </Stack>
      <ConfirmModal
        opened={deleting !== undefined}
        title="Delete this log drain?"
        action="Delete log drain"
        mutation={remove}
        onConfirm={() => deleting && remove.mutate(deleting.id)}
        onClose={() => setDeleting(undefined)}
      >
        Logs that arrive later are rejected. Views counted so far are kept.
      </ConfirmModal>
    </Paper>
  )
}
