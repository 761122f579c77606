import type { Runner } from '@colophon/sdk'
import { Badge, Group, Text } from '@mantine/core'
import { RelativeTime } from '../shown/relative-time.tsx'

export function RunnerStateBadge({ runner: { isOnline, lastSeenAt } }: { runner: Runner }) {
  return (
    <Group gap="xs">
      <Badge tt="none" variant="light" color={isOnline ? 'green' : 'gray'}>
        {isOnline ? 'Online' : lastSeenAt === null ? 'Never connected' : 'Offline'}
      </Badge>
      {lastSeenAt !== null && !isOnline && (
        <Text size="sm" c="dimmed">
          Last seen <RelativeTime at={lastSeenAt} />
        </Text>
      )}
    </Group>
  )
}
