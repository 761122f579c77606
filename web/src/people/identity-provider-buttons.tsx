import type { StartProviderSignInData } from '@colophon/sdk'
import { Button, Divider, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'

/** Buttons to sign in with the providers that the operator configured, or to link them to the signed-in account. */
export function IdentityProviderButtons({
  purpose,
  returnTo,
  withReauthentication = (action) => action(),
}: {
  purpose: StartProviderSignInData['body']['purpose']
  returnTo: string
  /** For linking, which requires a recent sign-in. */
  withReauthentication?: <Result>(action: () => Promise<Result>) => Promise<Result>
}) {
  const { providers, allowsPasswords } = useSession()
  const start = useMutation({
    mutationFn: () => withReauthentication(() => client.session.startProviderSignIn({ purpose, returnTo })),
    onSuccess: ({ url }) => window.location.assign(url),
  })
  return (
    <Stack gap="sm">
      {providers.length > 0 && purpose !== 'link' && allowsPasswords && <Divider label="or" />}
      {providers.map(({ id, name }) => (
        <Button key={id} variant="default" fullWidth loading={start.isPending} onClick={() => start.mutate()}>
          {purpose === 'link' ? `Link ${name}` : `Continue with ${name}`}
        </Button>
      ))}
      <ErrorAlert error={start.error} />
    </Stack>
  )
}
