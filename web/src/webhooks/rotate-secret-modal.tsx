import type { WebhookEndpoint } from '@colophon/sdk'
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { endpointsQuery } from './queries.ts'

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: 'For 1 hour' },
  { value: '24', label: 'For 1 day' },
  { value: '168', label: 'For 7 days' },
]

interface Props {
  projectId: string
  endpoint: WebhookEndpoint
  isOpen: boolean
  close(): void
}

export function RotateSecretModal({ isOpen, ...rest }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={rest.close}
      title={`Rotate the secret of ${rest.endpoint.name}`}
      closeOnClickOutside={false} // the secret is shown only once
      centered
    >
      {isOpen && <Rotation {...rest} />}
    </Modal>
  )
}

function Rotation({ projectId, endpoint, close }: Omit<Props, 'isOpen'>) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [overlapHours, setOverlapHours] = useState('24')
  const rotate = useMutation({
    mutationFn: () =>
      withReauthentication(() =>
        client.webhooks.rotateSecret(projectId, endpoint.id, { overlapHours: Number(overlapHours) }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: endpointsQuery(projectId).queryKey }),
  })
  if (rotate.data)
    return (
      <Stack>
        <CopyLine label="New secret" value={rotate.data.secret} />
        <Text size="sm">Copy the secret now. This is the only time it is shown. Give it to the receiver.</Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    )
  return (
    <Stack>
      <Text size="sm">Creates a new secret. If the old one may have leaked, stop signing with it at once.</Text>
      <NativeSelect
        label="Requests are also signed with the old secret"
        data={overlaps}
        value={overlapHours}
        onChange={(event) => setOverlapHours(event.currentTarget.value)}
      />
      <ErrorAlert error={rotate.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate secret
        </Button>
      </Group>
    </Stack>
  )
}
