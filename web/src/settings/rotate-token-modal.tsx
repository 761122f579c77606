import type { Runner } from '@colophon/sdk'
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { runnersQuery } from './queries.ts'

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: 'For 1 hour' },
  { value: '24', label: 'For 1 day' },
  { value: '168', label: 'For 7 days' },
]

interface Props {
  projectId: string
  /** Undefined while the modal is closed. */
  runner: Runner | undefined
  close(): void
}

export function RotateTokenModal({ runner, close, ...rest }: Props) {
  return (
    <Modal
      opened={runner !== undefined}
      onClose={close}
      title={`Rotate the token of ${runner?.name ?? ''}`}
      closeOnClickOutside={false} // the token is shown only once
      centered
    >
      {runner && <Rotation runner={runner} close={close} {...rest} />}
    </Modal>
  )
}

function Rotation({ projectId, runner, close }: Props & { runner: Runner }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [overlapHours, setOverlapHours] = useState('24')
  const rotate = useMutation({
    mutationFn: () =>
      withReauthentication(() =>
        client.runners.rotateToken(projectId, runner.id, { overlapHours: Number(overlapHours) }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: runnersQuery(projectId).queryKey }),
  })
  if (rotate.data)
    return (
      <Stack>
        <CopyLine label="New token" value={rotate.data.token} />
        <Text size="sm">
          Copy the token now. This is the only time it is shown. Store it on the machine of the runner and restart the
          runner:{' '}
          <DocsLink page="runners" inherit>
            Runners
          </DocsLink>
          .
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    )
  return (
    <Stack>
      <Text size="sm">
        Creates a new token, which is valid for a year. If the old one may have leaked, end it at once.
      </Text>
      <NativeSelect
        label="The old token stays valid"
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
          Rotate token
        </Button>
      </Group>
    </Stack>
  )
}
