import type { CreateKeyResponse } from '@colophon/sdk'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreateKeyForm } from './create-key-form.tsx'
import { CreatedSecret } from './created-secret.tsx'

/** Shows the form, then the secret. The secret is shown only once, so only its own button closes the modal. */
export function CreateKeyModal({ projectId, isOpen, close }: { projectId: string; isOpen: boolean; close(): void }) {
  const [created, setCreated] = useState<CreateKeyResponse>()
  const closeAndReset = () => {
    setCreated(undefined)
    close()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={closeAndReset}
      title={created ? `API key ${created.key.name} created` : 'Create an API key'}
      size="lg"
      withCloseButton={!created}
      closeOnClickOutside={false}
      closeOnEscape={!created}
    >
      {created ? (
        <CreatedSecret secret={created.secret} onDone={closeAndReset} />
      ) : (
        <CreateKeyForm projectId={projectId} onCreated={setCreated} onCancel={closeAndReset} />
      )}
    </Modal>
  )
}
