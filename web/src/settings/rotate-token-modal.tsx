import type { Runner } from '@colophon/sdk'
import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { RotationForm } from '../shown/rotation-form.tsx'
import { runnersQuery } from './queries.ts'

interface Props {
  projectId: string
  /** Undefined while the modal is closed. */
  runner: Runner | undefined
  close(): void
}

export function RotateTokenModal({ projectId, runner, close }: Props) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const rotate = async ({ id }: Runner, overlapHours: number) => {
    const { token } = await withReauthentication(() => client.runners.rotateToken(projectId, id, { overlapHours }))
    await queryClient.invalidateQueries({ queryKey: runnersQuery(projectId).queryKey })
    return token
  }
  return (
    <Modal
      opened={runner !== undefined}
      onClose={close}
      title={`Rotate the token of ${runner?.name ?? ''}`}
      closeOnClickOutside={false} // the token is shown only once
      centered
    >
      {runner && (
        <RotationForm
          noun="token"
          description="Creates a new token, which is valid for a year. If the old one may have leaked, end it at once."
          overlapLabel="The old token stays valid"
          instructions={
            <>
              Store it on the machine of the runner and restart the runner:{' '}
              <DocsLink page="runners" inherit>
                Runners
              </DocsLink>
              .
            </>
          }
          rotate={(overlapHours) => rotate(runner, overlapHours)}
          close={close}
        />
      )}
    </Modal>
  )
}
