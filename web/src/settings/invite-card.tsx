import { Alert, Button, Divider, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { DangerButton } from './danger-button.tsx'
import { invitationsQuery } from './queries.ts'
import { parseRole, roleOptions } from './role-options.ts'
import { SettingsCard } from './settings-card.tsx'

export function InviteCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const { canSendEmail } = useSession()
  const { data, error } = useQuery(invitationsQuery(projectId))
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(parseRole('editor'))
  const refresh = () => queryClient.invalidateQueries({ queryKey: invitationsQuery(projectId).queryKey })
  const invite = useMutation({
    mutationFn: () => withReauthentication(() => client.invitations.create(projectId, { email: email.trim(), role })),
    onSuccess: () => {
      setEmail('')
      return refresh()
    },
  })
  const revoke = useMutation({
    mutationFn: (id: string) => client.invitations.revoke(projectId, id),
    onSuccess: () => {
      invite.reset() // the link on the page may belong to the revoked invitation
      return refresh()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  const pending = data?.invitations ?? []
  return (
    <SettingsCard
      title="Invite someone"
      lead={
        canSendEmail
          ? 'They get an email with a link, which also shows that the email address is theirs.'
          : 'You get a link to send to them, because this instance does not send email.'
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
            data={roleOptions.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            value={role}
            onChange={(value) => setRole(parseRole(value))}
            w={130}
          />
          <Button type="submit" disabled={email.trim() === ''} loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </form>
      <ErrorAlert error={invite.error ?? revoke.error ?? error} />
      {invite.data && (
        <Alert color="green" title={`${invite.data.invitation.email} has been invited`} role="status">
          {invite.data.url === null ? (
            <Text size="sm">The email with the link is on its way.</Text>
          ) : (
            <Stack gap="xs">
              <Text size="sm">Send them this link:</Text>
              <CopyLine label="Invitation link" value={invite.data.url} />
              <Text size="sm">
                This is the only time it is shown. If the email address has no account yet, anyone who has the link can
                create one and join.
              </Text>
            </Stack>
          )}
        </Alert>
      )}
      {pending.length > 0 && (
        <Stack gap="sm">
          <Text size="sm" fw={600}>
            Pending invitations
          </Text>
          {pending.map(({ id, email: invitedEmail, role: invitedRole, createdAt, expiresAt }) => (
            <Fragment key={id}>
              <Divider />
              <Group justify="space-between" gap="xs">
                <Stack gap={0}>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {invitedEmail}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {roleOptions.find(({ value }) => value === invitedRole)?.label} · invited{' '}
                    <RelativeTime at={createdAt} /> · expires{' '}
                    {new Date(expiresAt).toLocaleDateString('en', { dateStyle: 'medium' })}
                  </Text>
                </Stack>
                <DangerButton subject={`the invitation for ${invitedEmail}`} onClick={() => revoke.mutate(id)}>
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
