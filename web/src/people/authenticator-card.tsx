import { Badge, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { sessionQuery } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { SetUpAuthenticator } from './set-up-authenticator.tsx'

/** The authenticator app on the account page: set it up, or remove it. */
export function AuthenticatorCard({ hasAuthenticator }: { hasAuthenticator: boolean }) {
  const queryClient = useQueryClient()
  return (
    <Stack>
      <div>
        <Group gap="xs">
          <Title order={2} size="h4">
            Authenticator app
          </Title>
          {hasAuthenticator && <Badge variant="light">On</Badge>}
        </Group>
        <Text c="dimmed" size="sm">
          With an authenticator app, signing in with your password also needs a code that the app shows.
        </Text>
      </div>
      {hasAuthenticator ? (
        <RemoveAuthenticator />
      ) : (
        <SetUpAuthenticator onDone={(session) => queryClient.setQueryData(sessionQuery.queryKey, session)} />
      )}
    </Stack>
  )
}

function RemoveAuthenticator() {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [password, setPassword] = useState('')
  const remove = useMutation({
    mutationFn: () => withReauthentication(() => client.session.removeAuthenticator({ password })),
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    remove.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorAlert error={remove.error} title="The authenticator app was not removed" />
        <Button
          type="submit"
          color="red"
          variant="light"
          loading={remove.isPending}
          style={{ alignSelf: 'flex-start' }}
        >
          Remove the authenticator app
        </Button>
      </Stack>
    </form>
  )
}
