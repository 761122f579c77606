import type { Person } from '@colophon/sdk'
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
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
  /** Who can become owner of their projects. */
  others: readonly Person[]
  onDone(): Promise<unknown>
  close(): void
}

export function DeletePersonModal({ person, close, ...rest }: Props) {
  return (
    <Modal opened={person !== undefined} onClose={close} title={`Delete ${person?.email ?? ''}?`} centered>
      {person && <Confirmation person={person} close={close} {...rest} />}
    </Modal>
  )
}

function Confirmation({ person, others, onDone, close }: Props & { person: Person }) {
  const withReauthentication = useReauthentication()
  const created = useQuery(personCreatedAccessQuery(person.id))
  const [newOwnerId, setNewOwnerId] = useState<string | null>(null)
  const needsNewOwner = person.soleOwnerOf.length > 0
  const remove = useMutation({
    mutationFn: () =>
      withReauthentication(() => client.people.delete(person.id, newOwnerId === null ? {} : { newOwnerId })),
    onSuccess: async () => {
      await onDone()
      close()
    },
  })
  return (
    <Stack>
      <Text size="sm">
        The account and its roles are deleted, and the audit log names the person only by an ID. This cannot be undone.
      </Text>
      {needsNewOwner && (
        <Select
          label={`New owner of ${person.soleOwnerOf.map(({ name }) => name).join(', ')}`}
          required
          searchable
          data={others.map(({ id, email }) => ({ value: id, label: email }))}
          value={newOwnerId}
          onChange={setNewOwnerId}
        />
      )}
      <CreatedAccessList query={created} person={person.email} kept={[]} />
      <ErrorAlert error={remove.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          disabled={!created.data || (needsNewOwner && newOwnerId === null)}
          onClick={() => remove.mutate()}
        >
          Delete person
        </Button>
      </Group>
    </Stack>
  )
}
