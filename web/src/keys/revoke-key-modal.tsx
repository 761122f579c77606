import type { ApiKey } from '@colophon/sdk'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { findUsableDescendantKeys } from './key-state.ts'
import { keysQuery } from './queries.ts'

interface Props {
  projectId: string
  /** Undefined while no key is being revoked. */
  apiKey: ApiKey | undefined
  all: readonly ApiKey[]
  close(): void
}

/** Shows what is affected before the key is revoked, because that cannot be undone. */
export function RevokeKeyModal({ apiKey, close, ...rest }: Props) {
  return (
    <Modal opened={apiKey !== undefined} onClose={close} title={`Revoke ${apiKey?.name ?? ''}?`} centered>
      {apiKey && <Confirmation apiKey={apiKey} close={close} {...rest} />}
    </Modal>
  )
}

function Confirmation({ projectId, apiKey, all, close }: Props & { apiKey: ApiKey }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const revoke = useMutation({
    mutationFn: () => withReauthentication(() => client.keys.revoke(projectId, apiKey.id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey })
      notifications.show({ message: `${apiKey.name} has been revoked. Requests with it now fail.` })
      close()
    },
  })
  const descendants = findUsableDescendantKeys(apiKey, all, new Date())
  return (
    <Stack>
      <Text size="sm">
        {apiKey.lastUsedAt === null ? (
          'This key has never been used.'
        ) : (
          <>
            This key was last used <RelativeTime at={apiKey.lastUsedAt} />.
          </>
        )}{' '}
        Requests with it will fail immediately. Runners and open invitations that were created with it are revoked as
        well. This cannot be undone.
      </Text>
      {descendants.length > 0 && (
        <div>
          <Text size="sm">Keys that were created with it are revoked as well:</Text>
          <List size="sm" mt={4}>
            {descendants.map(({ id, name, lastUsedAt }) => (
              <List.Item key={id}>
                {name}, {lastUsedAt === null ? 'never used' : 'last used '}
                {lastUsedAt !== null && <RelativeTime at={lastUsedAt} />}
              </List.Item>
            ))}
          </List>
        </div>
      )}
      <ErrorAlert error={revoke.error} title="The API key was not revoked" />
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          {descendants.length === 0 ? 'Revoke API key' : `Revoke ${descendants.length + 1} API keys`}
        </Button>
      </Group>
    </Stack>
  )
}
