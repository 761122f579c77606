import type { Session } from '@colophon/sdk'
import { Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** The second step of signing in. */
export function SecondFactorForm({
  secondFactors,
  onSignedIn,
  onCancel,
}: {
  /** Those that the person has. */
  secondFactors: Session['secondFactors']
  onSignedIn(session: Session): unknown
  onCancel(): void
}) {
  const { allowsPasswords } = useSession()
  const [code, setCode] = useState('')
  const verify = useMutation({
    mutationFn: () => client.session.verifySecondFactor({ code: code.trim().toLowerCase() }),
    onSuccess: onSignedIn,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation() // a React event bubbles to the form that opened the modal
    verify.mutate()
  }
  const hasAuthenticator = secondFactors.includes('authenticator')
  const offersPasskey = secondFactors.includes('passkey') && allowsPasswords
  return (
    <form onSubmit={submit}>
      <Stack>
        {offersPasskey && (
          <>
            <PasskeyButton label="Use a passkey" onSignedIn={onSignedIn} />
            <Divider label="or" />
          </>
        )}
        <Text size="sm">
          {hasAuthenticator
            ? 'Enter the code that your authenticator app shows. If you lost it, enter one of your recovery codes.'
            : 'If you do not have your passkey here, enter one of your recovery codes.'}
        </Text>
        <TextInput
          label={hasAuthenticator ? 'Code' : 'Recovery code'}
          autoComplete="one-time-code"
          inputMode="text"
          placeholder={hasAuthenticator ? '123456' : 'xk4pq-9mwz2'}
          required
          autoFocus
          data-autofocus
          maxLength={31}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ErrorAlert error={verify.error} title="The code was not accepted" />
        <Button type="submit" fullWidth loading={verify.isPending}>
          Continue
        </Button>
        <Button variant="subtle" fullWidth onClick={onCancel}>
          Start again
        </Button>
      </Stack>
    </form>
  )
}
