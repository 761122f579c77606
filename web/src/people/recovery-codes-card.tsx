import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { RecoveryCodes } from './set-up-authenticator.tsx'

/** Replaces the recovery codes of a person who has a second factor. */
export function RecoveryCodesCard() {
  const withReauthentication = useReauthentication()
  const [password, setPassword] = useState('')
  const create = useMutation({
    mutationFn: () => withReauthentication(() => client.session.createRecoveryCodes({ password })),
    onSuccess: () => setPassword(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <div>
          <Title order={2} size="h4">
            Recovery codes
          </Title>
          <Text c="dimmed" size="sm">
            If you lose your authenticator app or your passkeys, sign in with your password and one of these codes. New
            codes replace the old ones.
          </Text>
        </div>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorAlert error={create.error} title="No codes were created" />
        {create.data && <RecoveryCodes codes={create.data.recoveryCodes} />}
        <Button type="submit" variant="default" loading={create.isPending} style={{ alignSelf: 'flex-start' }}>
          Create new recovery codes
        </Button>
      </Stack>
    </form>
  )
}
