import type { Session } from '@colophon/sdk'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'

/** The second step of signing in. */
export function SecondFactorForm({
  onSignedIn,
  onCancel,
}: {
  onSignedIn(session: Session): unknown
  onCancel(): void
}) {
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
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Enter the code that your authenticator app shows. If you lost it, enter one of your recovery codes.
        </Text>
        <TextInput
          label="Code"
          autoComplete="one-time-code"
          inputMode="text"
          placeholder="123456"
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
