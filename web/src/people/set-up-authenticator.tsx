import type { CreateAuthenticatorResponse, Session } from '@colophon/sdk'
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { CopyBlock } from '../shown/copy-block.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { QrCode } from './qr-code.tsx'
import { useReauthentication } from './reauthentication.tsx'

/** Three steps: the password, the code of the app, and the recovery codes, which are shown only here. */
export function SetUpAuthenticator({ onDone }: { onDone(session: Session): unknown }) {
  const [secrets, setSecrets] = useState<CreateAuthenticatorResponse>()
  const [session, setSession] = useState<Session>()
  if (!secrets) return <PasswordStep onCreated={setSecrets} />
  const isLastStep = secrets.recoveryCodes.length === 0 // the person has some already
  if (!session) return <ConfirmStep uri={secrets.uri} onConfirmed={isLastStep ? onDone : setSession} />
  return (
    <Stack>
      <RecoveryCodes codes={secrets.recoveryCodes} />
      <Button onClick={() => onDone(session)}>I have saved the recovery codes</Button>
    </Stack>
  )
}

export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <Text size="sm">
        Save these recovery codes in a safe place. If you lose your authenticator app or your passkeys, each of them
        signs you in once, together with your password. They are not shown again.
      </Text>
      <CopyBlock label="recovery codes" text={codes.join('\n')} />
    </>
  )
}

function PasswordStep({ onCreated }: { onCreated(secrets: CreateAuthenticatorResponse): void }) {
  const withReauthentication = useReauthentication()
  const [password, setPassword] = useState('')
  const create = useMutation({
    mutationFn: () => withReauthentication(() => client.session.createAuthenticator({ password })),
    onSuccess: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
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
        <ErrorAlert error={create.error} title="The setup was not started" />
        <Button type="submit" loading={create.isPending} style={{ alignSelf: 'flex-start' }}>
          Set up an authenticator app
        </Button>
      </Stack>
    </form>
  )
}

function ConfirmStep({ uri, onConfirmed }: { uri: string; onConfirmed(session: Session): unknown }) {
  const withReauthentication = useReauthentication()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => withReauthentication(() => client.session.confirmAuthenticator({ code: code.trim() })),
    onSuccess: onConfirmed,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <Text size="sm">Scan the code with an authenticator app, or enter the secret by hand.</Text>
        <QrCode text={uri} label="QR code for the authenticator app" />
        <CopyLine label="Secret" value={new URL(uri).searchParams.get('secret') ?? ''} />
        <TextInput
          label="Code that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          pattern="[0-9]{6}"
          maxLength={6}
          placeholder="123456"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ErrorAlert error={confirm.error} title="The second factor is not on yet" />
        <Button type="submit" loading={confirm.isPending} style={{ alignSelf: 'flex-start' }}>
          Turn on
        </Button>
      </Stack>
    </form>
  )
}
