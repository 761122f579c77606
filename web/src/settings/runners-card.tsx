import type { Runner } from '@colophon/sdk'
import { Badge, Divider, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { Ago } from '../shown/ago.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { DangerButton } from './danger-button.tsx'
import { runnersQuery } from './queries.ts'
import { RunnerState } from './runner-state.tsx'
import { tellSaved } from './saved.ts'
import { SettingsCard } from './settings-card.tsx'
import { SureModal } from './sure-modal.tsx'

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
  const [revoked, setRevoked] = useState<Runner>()
  const revoke = useMutation({
    mutationFn: ({ id }: Runner) => client.runners.revoke(projectId, id),
    onSuccess: (left, { name }) => {
      setRevoked(undefined)
      queryClient.setQueryData(runnersQuery(projectId).queryKey, left)
      tellSaved(`${name} gets no more turns.`)
    },
  })
  if (runners.length === 0) {
    return (
      <EmptyState title="No runners yet">
        Jobs wait until one is there. {canChange ? 'Make one below.' : 'An owner of the project can make one.'}
      </EmptyState>
    )
  }
  return (
    <SettingsCard title="Runners of this project">
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
                  ? 'Works for other projects too; who runs the installation can revoke it'
                  : 'Of this project alone'}{' '}
                · made <Ago at={runner.createdAt} />
              </Text>
            </Stack>
            <Group gap="sm">
              <RunnerState runner={runner} />
              {canChange && !runner.isShared && (
                <DangerButton of={runner.name} onClick={() => setRevoked(runner)}>
                  Revoke
                </DangerButton>
              )}
            </Group>
          </Group>
        </Fragment>
      ))}
      <SureModal
        opened={revoked !== undefined}
        title={`Revoke ${revoked?.name ?? ''}?`}
        action="Revoke runner"
        mutation={revoke}
        onConfirm={() => revoked && revoke.mutate(revoked)}
        onClose={() => setRevoked(undefined)}
      >
        Its token is good for nothing from its next question on. A turn that it works on may still be finished. To
        replace it, make another first.
      </SureModal>
    </SettingsCard>
  )
}
