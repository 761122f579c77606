import type { ApiKey } from '@colophon/sdk'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { Ago } from '../shown/ago.tsx'
import { Failure } from '../shown/failure.tsx'
import { keysThatGoWith } from './key-state.ts'
import { keysQuery } from './keys.ts'

interface Props {
  projectId: string
  /** Undefined: none is being revoked. */
  apiKey: ApiKey | undefined
  all: readonly ApiKey[]
  close(): void
}

/** Says who will notice before it is done: it cannot be undone. */
export function RevokeKey({ apiKey, close, ...more }: Props) {
  return (
    <Modal opened={apiKey !== undefined} onClose={close} title={`Revoke ${apiKey?.name ?? ''}?`} centered>
      {apiKey && <Confirmation apiKey={apiKey} close={close} {...more} />}
    </Modal>
  )
}

function Confirmation({ projectId, apiKey, all, close }: Props & { apiKey: ApiKey }) {
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => client.keys.revoke(projectId, apiKey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey })
      notifications.show({ message: `${apiKey.name} is revoked. The next request with it is refused.` })
      close()
    },
  })
  const also = keysThatGoWith(apiKey, all, new Date())
  return (
    <Stack>
      <Text size="sm">
        {apiKey.lastUsedAt === null ? (
          'It was never used: probably nobody will notice.'
        ) : (
          <>
            It was last used <Ago at={apiKey.lastUsedAt} />. Whatever uses it is refused from the next request on, and
            it cannot be undone.
          </>
        )}
      </Text>
      {also.length > 0 && (
        <div>
          <Text size="sm">It made other keys. They go with it:</Text>
          <List size="sm" mt={4}>
            {also.map(({ id, name, lastUsedAt }) => (
              <List.Item key={id}>
                {name}, {lastUsedAt === null ? 'never used' : 'last used '}
                {lastUsedAt !== null && <Ago at={lastUsedAt} />}
              </List.Item>
            ))}
          </List>
        </div>
      )}
      <Failure error={revoke.error} title="The key was not revoked" />
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          {also.length === 0 ? 'Revoke the key' : `Revoke ${also.length + 1} keys`}
        </Button>
      </Group>
    </Stack>
  )
}
