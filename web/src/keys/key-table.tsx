import type { ApiKey } from '@colophon/sdk'
import { Badge, Button, Code, Group, Paper, Stack, Switch, Table, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { describeCreator } from '../people/format-creator.ts'
import { canManage, type MyProject } from '../projects/project.ts'
import { RelativeTime } from '../shown/relative-time.tsx'
import { type KeyState, keyState } from './key-state.ts'
import styles from './key-table.module.css'
import { RevokeKeyModal } from './revoke-key-modal.tsx'
import { formatScopes } from './scopes.ts'

const badges: Readonly<Record<Exclude<KeyState, 'active'>, { color: string; label: string }>> = {
  expiring: { color: 'yellow', label: 'Expires soon' },
  expired: { color: 'gray', label: 'Expired' },
  revoked: { color: 'gray', label: 'Revoked' },
}

export function KeyTable({ project, keys }: { project: MyProject; keys: readonly ApiKey[] }) {
  const [showsInactive, setShowsInactive] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const now = new Date()
  const isInactive = (key: ApiKey) => ['revoked', 'expired'].includes(keyState(key, now))
  const inactive = keys.filter(isInactive)
  const shown = showsInactive ? keys : keys.filter((key) => !isInactive(key))
  return (
    <Stack gap="sm">
      {inactive.length > 0 && (
        <Switch
          label={`Show ${inactive.length} expired or revoked`}
          checked={showsInactive}
          onChange={(event) => setShowsInactive(event.currentTarget.checked)}
        />
      )}
      <Paper withBorder radius="md">
        <Table verticalSpacing="sm" horizontalSpacing="lg" className={styles.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Scopes</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th>Created</Table.Th>
              {canManage(project) && <Table.Th aria-label="Actions" />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={6}>No active API keys</Table.Td>
              </Table.Tr>
            )}
            {shown.map((key) => (
              <KeyRow
                key={key.id}
                apiKey={key}
                creator={describeCreator(key, keys)}
                state={keyState(key, now)}
                revoke={canManage(project) ? () => setRevoking(key) : undefined}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <RevokeKeyModal projectId={project.id} apiKey={revoking} all={keys} close={() => setRevoking(undefined)} />
    </Stack>
  )
}

interface KeyRowProps {
  apiKey: ApiKey
  creator: string
  state: KeyState
  revoke: (() => void) | undefined
}

function KeyRow({ apiKey, creator, state, revoke }: KeyRowProps) {
  const { name, prefix, scopes, allowedNetworks, createdAt, expiresAt, lastUsedAt, exceedsScopes } = apiKey
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {state !== 'active' && (
            <Badge size="sm" variant="light" tt="none" color={badges[state].color}>
              {badges[state].label}
            </Badge>
          )}
          {exceedsScopes && (
            <Tooltip
              label="project:write gives full access. Replace this key by one with the scopes that it needs."
              multiline
              w={260}
            >
              <Badge size="sm" variant="light" tt="none" color="yellow" tabIndex={0}>
                Full access
              </Badge>
            </Tooltip>
          )}
        </Group>
        <Code>{prefix}</Code>
      </Table.Td>
      <Table.Td data-name="Scopes">
        <Group gap={4}>
          {formatScopes(scopes).map((scope) => (
            <Badge key={scope} size="sm" variant="light" color="gray" tt="none" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
        {allowedNetworks.length > 0 && (
          <Text size="xs" c="dimmed" mt={4}>
            Only from {allowedNetworks.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-name="Last used">{lastUsedAt === null ? 'Never' : <RelativeTime at={lastUsedAt} />}</Table.Td>
      <Table.Td data-name="Expires">{expiresAt === null ? 'Never' : <RelativeTime at={expiresAt} />}</Table.Td>
      <Table.Td data-name="Created">
        <RelativeTime at={createdAt} />
        {creator !== '' && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {creator}
          </Text>
        )}
      </Table.Td>
      {revoke && (
        <Table.Td ta="right">
          {state !== 'revoked' && (
            <Button variant="default" size="xs" onClick={revoke} aria-label={`Revoke ${name}`}>
              Revoke
            </Button>
          )}
        </Table.Td>
      )}
    </Table.Tr>
  )
}
