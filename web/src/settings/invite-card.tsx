import { Alert, Button, Divider, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { Ago } from '../shown/ago.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { Failure } from '../shown/failure.tsx'
import { DangerButton } from './danger-button.tsx'
import { invitationsQuery } from './queries.ts'
import { roleNamed, roles } from './roles.ts'
import { SettingsCard } from './settings-card.tsx'

export function InviteCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const { canSendEmail } = useSession()
  const { data, error } = useQuery(invitationsQuery(projectId))
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(roleNamed('editor'))
  const again = () => queryClient.invalidateQueries({ queryKey: invitationsQuery(projectId).queryKey })
  const invite = useMutation({
    mutationFn: () => fresh(() => client.invitations.create(projectId, { email: email.trim(), role })),
    onSuccess: () => {
      setEmail('')
      return again()
    },
  })
  const revoke = useMutation({
    mutationFn: (id: string) => client.invitations.revoke(projectId, id),
    onSuccess: () => {
      invite.reset() // its link may be the one that is good for nothing now
      return again()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  const waiting = data?.invitations ?? []
  return (
    <SettingsCard
      title="Invite somebody"
      lead={
        canSendEmail
          ? 'They get a mail with a link; you can copy it as well.'
          : 'You get a link to give to them: this installation sends no mail.'
      }
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Email address"
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            style={{ flex: '1 1 220px' }}
          />
          <Select
            label="Role"
            data={roles.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            value={role}
            onChange={(value) => setRole(roleNamed(value))}
            w={130}
          />
          <Button type="submit" disabled={email.trim() === ''} loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </form>
      <Failure error={invite.error ?? revoke.error ?? error} />
      {invite.data && (
        <Alert color="green" title={`${invite.data.invitation.email} is invited`} role="status">
          <Stack gap="xs">
            <Text size="sm">
              {invite.data.mailed ? 'The mail is on its way. The same link, to copy:' : 'Give them this link:'}
            </Text>
            <CopyLine label="Invitation link" value={invite.data.url} />
            <Text size="sm">It is shown this once, and lets in whoever has it.</Text>
          </Stack>
        </Alert>
      )}
      {waiting.length > 0 && (
        <Stack gap="sm">
          <Text size="sm" fw={600}>
            Waiting for an answer
          </Text>
          {waiting.map(({ id, email: invited, role: asRole, createdAt, expiresAt }) => (
            <Fragment key={id}>
              <Divider />
              <Group justify="space-between" gap="xs">
                <Stack gap={0}>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {invited}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {roles.find(({ value }) => value === asRole)?.label} · invited <Ago at={createdAt} /> · good until{' '}
                    {new Date(expiresAt).toLocaleDateString('en', { dateStyle: 'medium' })}
                  </Text>
                </Stack>
                <DangerButton of={`the invitation of ${invited}`} onClick={() => revoke.mutate(id)}>
                  Revoke
                </DangerButton>
              </Group>
            </Fragment>
          ))}
        </Stack>
      )}
    </SettingsCard>
  )
}
