import type { Passkey } from '@colophon/sdk'
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { sessionQuery } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { useReauthentication } from './reauthentication.tsx'

const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => client.session.listPasskeys({ signal }),
})

/** The passkeys of the signed-in person, each with a button that removes it. */
export function PasskeysCard() {
  const queryClient = useQueryClient()
  const { data, error, isPending } = useQuery(passkeysQuery)
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    ])
  return (
    <Stack>
      <div>
        <Title order={2} size="h4">
          Passkeys
        </Title>
        <Text c="dimmed" size="sm">
          Sign in with your fingerprint, your face or the PIN of your device instead of the password. Once you have a
          passkey, the password alone is not enough.
        </Text>
      </div>
      <ErrorAlert error={error} />
      {isPending && <Skeleton height={64} />}
      {data?.passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} onRemoved={refresh} />
      ))}
      <AddPasskey onAdded={refresh} />
    </Stack>
  )
}

function PasskeyRow({ passkey, onRemoved }: { passkey: Passkey; onRemoved(): unknown }) {
  const withReauthentication = useReauthentication()
  const { id, name, createdAt, lastUsedAt } = passkey
  const remove = useMutation({
    mutationFn: () => withReauthentication(() => client.session.removePasskey(id)),
    onSuccess: onRemoved,
  })
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          Added <RelativeTime at={createdAt} /> ·{' '}
          {lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <RelativeTime at={lastUsedAt} />
            </>
          )}
        </Text>
        <ErrorAlert error={remove.error} title="The passkey was not removed" />
      </div>
      <Button
        variant="default"
        size="xs"
        style={{ flexShrink: 0 }}
        aria-label={`Remove the passkey ${name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        Remove
      </Button>
    </Group>
  )
}
