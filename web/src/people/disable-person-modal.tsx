import type { Person } from '@colophon/sdk'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { CreatedAccessList } from './created-access-list.tsx'
import { personCreatedAccessQuery } from './queries.ts'
import { useReauthentication } from './reauthentication.tsx'

interface Props {
  /** Undefined while the modal is closed. */
  person: Person | undefined
  onDone(): Promise<unknown>
  close(): void
}

export function DisablePersonModal({ person, close, ...rest }: Props) {
  return (
    <Modal opened={person !== undefined} onClose={close} title={`Disable ${person?.email ?? ''}?`} centered>
      {person && <Confirmation person={person} close={close} {...rest} />}
    </Modal>
  )
}

function Confirmation({ person, onDone, close }: Props & { person: Person }) {
  const withReauthentication = useReauthentication()
  const created = useQuery(personCreatedAccessQuery(person.id))
  const [kept, setKept] = useState<readonly string[]>([])
  const disable = useMutation({
    mutationFn: () => withReauthentication(() => client.people.disable(person.id, { keep: [...kept] })),
    onSuccess: async () => {
      await onDone()
      close()
    },
  })
  return (
    <Stack>
      <Text size="sm">Their sessions end immediately, and they cannot sign in until you enable them.</Text>
      {person.soleOwnerOf.length > 0 && (
        <Alert color="yellow" title="Projects without another owner">
          {person.soleOwnerOf.map(({ name }) => name).join(', ')}
        </Alert>
      )}
      <CreatedAccessList query={created} person={person.email} kept={kept} setKept={setKept} />
      <ErrorAlert error={disable.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color="red" loading={disable.isPending} disabled={!created.data} onClick={() => disable.mutate()}>
          Disable person
        </Button>
      </Group>
    </Stack>
  )
}
