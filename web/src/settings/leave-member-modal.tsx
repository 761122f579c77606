import type { Member } from '@colophon/sdk'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { CreatedAccessList } from '../people/created-access-list.tsx'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { createdAccessQuery } from './queries.ts'

/** What to do with a member: remove them or, with a role, lower theirs. */
export interface Leaving {
  member: Member
  role?: Member['role']
}

interface Props {
  projectId: string
  /** Undefined while the modal is closed. */
  leaving: Leaving | undefined
  isSelf: boolean
  onDone(): Promise<unknown>
  close(): void
}

/** Shows what is revoked with the access of a member, before they are removed or demoted. */
export function LeaveMemberModal({ leaving, close, ...rest }: Props) {
  const email = leaving?.member.email ?? ''
  const title = leaving?.role === undefined ? `Remove ${email}?` : `Make ${email} ${leaving.role}?`
  return (
    <Modal opened={leaving !== undefined} onClose={close} title={title} centered>
      {leaving && <Confirmation leaving={leaving} close={close} {...rest} />}
    </Modal>
  )
}

function Confirmation({ projectId, leaving: { member, role }, isSelf, onDone, close }: Props & { leaving: Leaving }) {
  const withReauthentication = useReauthentication()
  const created = useQuery(createdAccessQuery(projectId, member.id, role))
  const [kept, setKept] = useState<readonly string[]>([])
  const leave = useMutation({
    mutationFn: () =>
      withReauthentication(() =>
        role === undefined
          ? client.members.remove(projectId, member.id, kept.length > 0 ? { keep: kept.join(',') } : {})
          : client.members.changeRole(projectId, member.id, { role, keep: [...kept] }),
      ),
    onSuccess: async () => {
      await onDone()
      close()
    },
  })
  const who = isSelf ? 'You' : 'They'
  return (
    <Stack>
      <Text size="sm">
        {role === undefined
          ? `${who} lose access to this project immediately.`
          : `${who} lose the permissions of their role immediately.`}
      </Text>
      <CreatedAccessList query={created} person={member.email} kept={kept} {...(!isSelf && { setKept })} />
      <ErrorAlert error={leave.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color="red" loading={leave.isPending} disabled={!created.data} onClick={() => leave.mutate()}>
          {role === undefined ? 'Remove member' : 'Change role'}
        </Button>
      </Group>
    </Stack>
  )
}
