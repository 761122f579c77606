import type { WebhookEndpoint } from '@colophon/sdk'
import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { RotationForm } from '../shown/rotation-form.tsx'
import { endpointsQuery } from './queries.ts'

interface Props {
  projectId: string
  endpoint: WebhookEndpoint
  isOpen: boolean
  close(): void
}

export function RotateSecretModal({ projectId, endpoint, isOpen, close }: Props) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const rotate = async (overlapHours: number) => {
    const { secret } = await withReauthentication(() =>
      client.webhooks.rotateSecret(projectId, endpoint.id, { overlapHours }),
    )
    await queryClient.invalidateQueries({ queryKey: endpointsQuery(projectId).queryKey })
    return secret
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={`Rotate the secret of ${endpoint.name}`}
      closeOnClickOutside={false} // the secret is shown only once
      centered
    >
      {isOpen && (
        <RotationForm
          noun="secret"
          description="Creates a new secret. If the old one may have leaked, stop signing with it at once."
          overlapLabel="Requests are also signed with the old secret"
          instructions="Give it to the receiver."
          rotate={rotate}
          close={close}
        />
      )}
    </Modal>
  )
}
