import { Button, PasswordInput, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { sessionQuery } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { NewPasswordInput } from './new-password-input.tsx'

export function ChangePassword({ email }: { email: string }) {
  const queryClient = useQueryClient()
  const [currentPassword, setCurrentPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useMutation({
    mutationFn: () => client.session.changePassword({ currentPassword, newPassword }),
    onSuccess: (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, session)
      setCurrentPassword('')
      setNewPassword('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <div>
          <Title order={2} size="h4">
            Password
          </Title>
          <Text c="dimmed" size="sm">
            Changing your password ends your other sessions.
          </Text>
        </div>
        {/* Tells password managers which account the password belongs to. */}
        <VisuallyHidden>
          <input type="text" autoComplete="username" value={email} readOnly tabIndex={-1} aria-label="Email" />
        </VisuallyHidden>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={(event) => setCurrentPassword(event.currentTarget.value)}
        />
        <NewPasswordInput label="New password" value={newPassword} onChange={setNewPassword} />
        <ErrorAlert error={change.error} title="The password was not changed" />
        {change.isSuccess && newPassword === '' && (
          <Text size="sm" role="status">
            Password changed.
          </Text>
        )}
        <Button type="submit" variant="default" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          Change password
        </Button>
      </Stack>
    </form>
  )
}
