import type { Runner } from '@colophon/sdk'
import { Badge, Group, Text } from '@mantine/core'
import { Ago } from '../shown/ago.tsx'

export function RunnerState({ runner: { isOnline, lastSeenAt } }: { runner: Runner }) {
  return (
    <Group gap="xs">
      <Badge tt="none" variant="light" color={isOnline ? 'green' : 'gray'}>
        {isOnline ? 'Online' : lastSeenAt === null ? 'Never connected' : 'Offline'}
      </Badge>
      {lastSeenAt !== null && !isOnline && (
        <Text size="sm" c="dimmed">
          Last seen <Ago at={lastSeenAt} />
        </Text>
      )}
    </Group>
  )
}
