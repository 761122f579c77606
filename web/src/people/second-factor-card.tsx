import { Badge, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { sessionQuery } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { RecoveryCodes, SetUpAuthenticator } from './set-up-authenticator.tsx'

/** The second factor on the account page: set it up, replace its recovery codes, or remove it. */
export function SecondFactorCard({ hasSecondFactor }: { hasSecondFactor: boolean }) {
  const queryClient = useQueryClient()
  return (
    <Stack>
      <div>
        <Group gap="xs">
          <Title order={2} size="h4">
            Second factor
          </Title>
          {hasSecondFactor && <Badge variant="light">On</Badge>}
        </Group>
        <Text c="dimmed" size="sm">
          With an authenticator app, your password alone is not enough to sign in.
        </Text>
      </div>
      {hasSecondFactor ? (
        <ManageSecondFactor />
      ) : (
        <SetUpAuthenticator onDone={(session) => queryClient.setQueryData(sessionQuery.queryKey, session)} />
      )}
    </Stack>
  )
}

function ManageSecondFactor() {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [password, setPassword] = useState('')
  const createCodes = useMutation({
    mutationFn: () => withReauthentication(() => client.session.createRecoveryCodes({ password })),
    onSuccess: () => setPassword(''),
  })
  const remove = useMutation({
    mutationFn: () => withReauthentication(() => client.session.removeAuthenticator({ password })),
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    createCodes.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <PasswordInput
          label="Your password"
          description="To create new recovery codes, or to remove the second factor"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorAlert error={createCodes.error ?? remove.error} />
        {createCodes.data && <RecoveryCodes codes={createCodes.data.recoveryCodes} />}
        <Group gap="sm">
          <Button type="submit" variant="default" loading={createCodes.isPending}>
            Create new recovery codes
          </Button>
          <Button
            color="red"
            variant="light"
            disabled={password === ''}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
