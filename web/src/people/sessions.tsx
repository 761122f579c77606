import type { ListedSession } from '@colophon/sdk'
import { Badge, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { useReauthentication } from './reauthentication.tsx'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => client.session.list({ signal }),
})

/** The sessions of the signed-in person, each with a button that ends it. */
export function Sessions() {
  const queryClient = useQueryClient()
  const { data, error, isPending } = useQuery(sessionsQuery)
  const withReauthentication = useReauthentication()
  const endOthers = useMutation({
    mutationFn: () => withReauthentication(() => client.session.endOthers()),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  const sessions = data?.sessions ?? []
  return (
    <Stack>
      <div>
        <Title order={2} size="h4">
          Sessions
        </Title>
        <Text c="dimmed" size="sm">
          Where you are signed in. End a session that you do not recognize, then change your password.
        </Text>
      </div>
      <ErrorAlert error={error ?? endOthers.error} />
      {isPending && <Skeleton height={96} />}
      {sessions.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
      {endOthers.isSuccess && (
        <Text size="sm" role="status">
          All other sessions have been ended.
        </Text>
      )}
      {sessions.length > 1 && (
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          End all other sessions
        </Button>
      )}
    </Stack>
  )
}

function SessionRow({ session }: { session: ListedSession }) {
  const queryClient = useQueryClient()
  const { id, device, network, lastUsedAt, createdAt, isCurrent } = session
  const withReauthentication = useReauthentication()
  const end = useMutation({
    mutationFn: () => withReauthentication(() => client.session.end(id)),
    onSuccess: (left) => queryClient.setQueryData(sessionsQuery.queryKey, left),
  })
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div>
        <Group gap="xs">
          <Text fw={600}>{device}</Text>
          {isCurrent && <Badge variant="light">This browser</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {network ?? 'Unknown network'} · last used <RelativeTime at={lastUsedAt} /> · signed in{' '}
          <RelativeTime at={createdAt} />
        </Text>
        <ErrorAlert error={end.error} title="The session was not ended" />
      </div>
      {!isCurrent && (
        <Button
          variant="default"
          size="xs"
          style={{ flexShrink: 0 }}
          aria-label={`End the session of ${device}`}
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          End
        </Button>
      )}
    </Group>
  )
}
