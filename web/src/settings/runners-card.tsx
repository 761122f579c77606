import type { Runner } from '@colophon/sdk'
import { Badge, Divider, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { DangerButton } from './danger-button.tsx'
import { notifySaved } from './notify-saved.ts'
import { runnersQuery } from './queries.ts'
import { RunnerStateBadge } from './runner-state-badge.tsx'
import { SettingsCard } from './settings-card.tsx'

export function RunnersCard({
  projectId,
  runners,
  canChange,
}: {
  projectId: string
  runners: readonly Runner[]
  canChange: boolean
}) {
  const queryClient = useQueryClient()
  const [revoking, setRevoking] = useState<Runner>()
  const revoke = useMutation({
    mutationFn: ({ id }: Runner) => client.runners.revoke(projectId, id),
    onSuccess: (remaining, { name }) => {
      setRevoking(undefined)
      queryClient.setQueryData(runnersQuery(projectId).queryKey, remaining)
      notifySaved(`${name} has been revoked.`)
    },
  })
  if (runners.length === 0) {
    return (
      <EmptyState title="No runners yet">
        Jobs stay queued until a runner is online.{' '}
        {canChange ? 'Create one below.' : 'Ask an owner of the project to create one.'}
      </EmptyState>
    )
  }
  return (
    <SettingsCard title="Runners">
      {runners.map((runner, index) => (
        <Fragment key={runner.id}>
          {index > 0 && <Divider />}
          <Group justify="space-between" gap="sm">
            <Stack gap={4}>
              <Group gap="xs">
                <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {runner.name}
                </Text>
                {runner.isShared && (
                  <Badge tt="none" variant="light" color="blue">
                    Shared
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {runner.isShared
                  ? 'Also runs turns of other projects. Only an operator can revoke it'
                  : 'This project only'}{' '}
                · created <RelativeTime at={runner.createdAt} />
              </Text>
            </Stack>
            <Group gap="sm">
              <RunnerStateBadge runner={runner} />
              {canChange && !runner.isShared && (
                <DangerButton subject={runner.name} onClick={() => setRevoking(runner)}>
                  Revoke
                </DangerButton>
              )}
            </Group>
          </Group>
        </Fragment>
      ))}
      <ConfirmModal
        opened={revoking !== undefined}
        title={`Revoke ${revoking?.name ?? ''}?`}
        action="Revoke runner"
        mutation={revoke}
        onConfirm={() => revoking && revoke.mutate(revoking)}
        onClose={() => setRevoking(undefined)}
      >
        Its token stops working immediately. A turn that it is working on ends at once and is run again by another
        runner. If this is your only runner, create its replacement first.
      </ConfirmModal>
    </SettingsCard>
  )
}
