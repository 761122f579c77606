import type { FederatedIdentity } from '@colophon/sdk'
import { Badge, Divider, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { keysQuery } from '../keys/queries.ts'
import { describeCreator } from '../people/format-creator.ts'
import { ConfirmModal } from '../settings/confirm-modal.tsx'
import { DangerButton } from '../settings/danger-button.tsx'
import { notifySaved } from '../settings/notify-saved.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { describeClaims, providerLabels } from './identity-form.ts'
import { identitiesQuery } from './queries.ts'

interface Props {
  projectId: string
  identities: readonly FederatedIdentity[]
  canChange: boolean
}

export function IdentitiesCard({ projectId, identities, canChange }: Props) {
  const queryClient = useQueryClient()
  const [deleting, setDeleting] = useState<FederatedIdentity>()
  const remove = useMutation({
    mutationFn: ({ id }: FederatedIdentity) => client.federation.delete(projectId, id),
    onSuccess: (remaining, { name }) => {
      setDeleting(undefined)
      queryClient.setQueryData(identitiesQuery(projectId).queryKey, remaining)
      notifySaved(`${name} has been deleted.`)
      return queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey })
    },
  })
  if (identities.length === 0)
    return (
      <EmptyState title="No federated identities yet">
        {canChange ? 'Create one below.' : 'Ask an owner of the project to create one.'}
      </EmptyState>
    )
  return (
    <SettingsCard title="Federated identities">
      {identities.map((identity, index) => (
        <Fragment key={identity.id}>
          {index > 0 && <Divider />}
          <IdentityRow
            projectId={projectId}
            identity={identity}
            onDelete={canChange ? () => setDeleting(identity) : undefined}
          />
        </Fragment>
      ))}
      <ConfirmModal
        opened={deleting !== undefined}
        title={`Delete ${deleting?.name ?? ''}?`}
        action="Delete federated identity"
        mutation={remove}
        onConfirm={() => deleting && remove.mutate(deleting)}
        onClose={() => setDeleting(undefined)}
      >
        Its runs get no more keys, and the keys that they have stop working immediately. Jobs that they created
        continue.
      </ConfirmModal>
    </SettingsCard>
  )
}

interface RowProps {
  projectId: string
  identity: FederatedIdentity
  onDelete: (() => void) | undefined
}

function IdentityRow({ projectId, identity, onDelete }: RowProps) {
  const { data: keys } = useQuery(keysQuery(projectId))
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={4} style={{ flex: '1 1 300px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Text fw={600}>{identity.name}</Text>
          {identity.scopes.map((scope) => (
            <Badge key={scope} size="sm" variant="light" color="gray" tt="none" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
        <Text size="sm">
          {providerLabels[identity.provider]}: {describeClaims(identity.claims)}
        </Text>
        <Text size="sm" c="dimmed">
          {identity.issuer} · created <RelativeTime at={identity.createdAt} /> {describeCreator(identity, keys)} ·{' '}
          {identity.lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <RelativeTime at={identity.lastUsedAt} />
            </>
          )}
        </Text>
      </Stack>
      {onDelete && (
        <DangerButton subject={identity.name} onClick={onDelete}>
          Delete
        </DangerButton>
      )}
    </Group>
  )
}
