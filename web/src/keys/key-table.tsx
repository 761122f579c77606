import type { ApiKey } from '@colophon/sdk'
import { Badge, Button, Code, Group, Paper, Stack, Switch, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { mayManage, type ProjectOfMine } from '../projects/project.ts'
import { Ago } from '../shown/ago.tsx'
import { type KeyState, stateOf } from './key-state.ts'
import styles from './key-table.module.css'
import { RevokeKey } from './revoke-key.tsx'
import { scopesInShort } from './scope-words.ts'

const stateWords: Readonly<Record<Exclude<KeyState, 'good'>, { color: string; word: string }>> = {
  'ends-soon': { color: 'yellow', word: 'ends soon' },
  ended: { color: 'gray', word: 'ended' },
  revoked: { color: 'gray', word: 'revoked' },
}

export function KeyTable({ project, keys }: { project: ProjectOfMine; keys: readonly ApiKey[] }) {
  const [showsGone, setShowsGone] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const now = new Date()
  const isGone = (key: ApiKey) => ['revoked', 'ended'].includes(stateOf(key, now))
  const gone = keys.filter(isGone)
  const shown = showsGone ? keys : keys.filter((key) => !isGone(key))
  return (
    <Stack gap="sm">
      {gone.length > 0 && (
        <Switch
          label={`Show ${gone.length} that no longer work`}
          checked={showsGone}
          onChange={(event) => setShowsGone(event.currentTarget.checked)}
        />
      )}
      <Paper withBorder radius="md">
        <Table verticalSpacing="sm" horizontalSpacing="lg" className={styles.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Key</Table.Th>
              <Table.Th>May</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Ends</Table.Th>
              <Table.Th>Made</Table.Th>
              {mayManage(project) && <Table.Th aria-label="Revoke" />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={6}>No key works at present. Make one.</Table.Td>
              </Table.Tr>
            )}
            {shown.map((key) => (
              <KeyRow
                key={key.id}
                apiKey={key}
                maker={keys.find(({ id }) => id === key.createdByKeyId)}
                state={stateOf(key, now)}
                revoke={mayManage(project) ? () => setRevoking(key) : undefined}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <RevokeKey projectId={project.id} apiKey={revoking} all={keys} close={() => setRevoking(undefined)} />
    </Stack>
  )
}

interface KeyRowProps {
  apiKey: ApiKey
  maker: ApiKey | undefined
  state: KeyState
  revoke: (() => void) | undefined
}

function KeyRow({ apiKey, maker, state, revoke }: KeyRowProps) {
  const { name, hint, scopes, allowedNetworks, createdAt, expiresAt, lastUsedAt } = apiKey
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {state !== 'good' && (
            <Badge size="sm" variant="light" tt="none" color={stateWords[state].color}>
              {stateWords[state].word}
            </Badge>
          )}
        </Group>
        <Code>{hint}</Code>
      </Table.Td>
      <Table.Td data-name="May">
        <Group gap={4}>
          {scopesInShort(scopes).map((scope) => (
            <Badge key={scope} size="sm" variant="light" color="gray" tt="none" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
        {allowedNetworks.length > 0 && (
          <Text size="xs" c="dimmed" mt={4}>
            only from {allowedNetworks.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-name="Last used">{lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} />}</Table.Td>
      <Table.Td data-name="Ends">{expiresAt === null ? 'never' : <Ago at={expiresAt} />}</Table.Td>
      <Table.Td data-name="Made">
        <Ago at={createdAt} />
        {maker && (
          <Text size="xs" c="dimmed">
            by the key {maker.name}
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
