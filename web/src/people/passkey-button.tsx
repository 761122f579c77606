import type { Session } from '@colophon/sdk'
import { Button, Stack } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { signWithPasskey, supportsPasskeys } from './passkeys.ts'

/** Signs in with a passkey: at once, as the second factor, or to confirm that it is still the same person. */
export function PasskeyButton({ label, onSignedIn }: { label: string; onSignedIn(session: Session): unknown }) {
  const signIn = useMutation({
    mutationFn: async () =>
      client.session.signInWithPasskey(await signWithPasskey(await client.session.startPasskeySignIn())),
    onSuccess: onSignedIn,
  })
  if (!supportsPasskeys()) return null
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {label}
      </Button>
      <ErrorAlert error={signIn.error} title="Not signed in" />
    </Stack>
  )
}
