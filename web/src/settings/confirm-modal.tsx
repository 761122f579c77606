import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'

/** Explains an action that cannot be undone, and asks for confirmation. */
export function ConfirmModal({
  opened,
  title,
  action,
  mutation,
  onConfirm,
  onClose,
  children,
}: {
  opened: boolean
  title: string
  action: string
  mutation: { isPending: boolean; error: unknown }
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm">{children}</Text>
        <ErrorAlert error={mutation.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={mutation.isPending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
