import type { CreateKeyResponse } from '@colophon/sdk'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { NewKeyForm } from './new-key-form.tsx'
import { NewSecret } from './new-secret.tsx'

/** The form, then the secret. The secret is shown once, so that nothing but its own button closes the dialog then. */
export function NewKey({ projectId, isOpen, close }: { projectId: string; isOpen: boolean; close(): void }) {
  const [made, setMade] = useState<CreateKeyResponse>()
  const leave = () => {
    setMade(undefined)
    close()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={made ? `${made.key.name} is made` : 'Make an API key'}
      size="lg"
      withCloseButton={!made}
      closeOnClickOutside={false}
      closeOnEscape={!made}
    >
      {made ? (
        <NewSecret secret={made.secret} done={leave} />
      ) : (
        <NewKeyForm projectId={projectId} done={setMade} giveUp={leave} />
      )}
    </Modal>
  )
}
