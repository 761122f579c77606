import type { Runner } from '@colophon/sdk'
import { Badge, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { keysQuery } from '../keys/queries.ts'
import { describeCreator } from '../people/format-creator.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { DangerButton } from './danger-button.tsx'
import { notifySaved } from './notify-saved.ts'
import { runnersQuery } from './queries.ts'
import { RotateTokenModal } from './rotate-token-modal.tsx'
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
  const { data: keys } = useQuery(keysQuery(projectId))
  const [revoking, setRevoking] = useState<Runner>()
  const [rotating, setRotating] = useState<Runner>()
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
            <Stack gap={4} style={{ flex: '1 1 300px', minWidth: 0, overflowWrap: 'anywhere' }}>
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
                · created <RelativeTime at={runner.createdAt} /> {describeCreator(runner, keys)}
              </Text>
              <TokenExpiry runner={runner} />
            </Stack>
            <Group gap="sm">
              <RunnerStateBadge runner={runner} />
              {canChange && !runner.isShared && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Rotate token of ${runner.name}`}
                  onClick={() => setRotating(runner)}
                >
                  Rotate token
                </Button>
              )}
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
      <RotateTokenModal projectId={projectId} runner={rotating} close={() => setRotating(undefined)} />
    </SettingsCard>
  )
}

const soonMs = 30 * 24 * 3600 * 1000

/** Warns a month before the token expires. */
function TokenExpiry({ runner: { expiresAt, previousTokenExpiresAt } }: { runner: Runner }) {
  const leftMs = expiresAt === null ? undefined : Date.parse(expiresAt) - Date.now()
  const isSoon = leftMs !== undefined && leftMs < soonMs
  return (
    <Text size="sm" c={isSoon ? 'var(--bad)' : 'dimmed'}>
      {expiresAt === null ? (
        'Token does not expire'
      ) : (
        <>
          Token {leftMs !== undefined && leftMs <= 0 ? 'expired' : 'expires'} <RelativeTime at={expiresAt} />
          {isSoon && '. Rotate it'}
        </>
      )}
      {previousTokenExpiresAt !== null && (
        <>
          {' '}
          · previous token expires <RelativeTime at={previousTokenExpiresAt} />
        </>
      )}
    </Text>
  )
}
