import type { Session } from '@colophon/sdk'
import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { IdentityProviderButtons } from './identity-provider-buttons.tsx'
import { InsecureConnectionAlert } from './insecure-connection-alert.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { describeProviderSignInError } from './provider-errors.ts'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'
import { useSwitchToSession } from './start-session.ts'

const page = getRouteApi('/sign-in')

export function SignInPage() {
  const { to = '/', error } = page.useSearch()
  const { hash } = useLocation()
  const returnTo = hash === '' ? to : `${to}#${hash}` // the token of an invitation, which must not be in the query
  const { allowsPasswords } = useSession()
  const startSession = useSwitchToSession()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [secondFactors, setSecondFactors] = useState<Session['secondFactors']>()
  const signIn = useMutation({
    mutationFn: () => client.session.signIn({ email, password }),
    onSuccess: (session) =>
      session.needsSecondFactor ? setSecondFactors(session.secondFactors) : startSession(session, returnTo),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  if (secondFactors)
    return (
      <SignedOutLayout title="Sign in" lead={`As ${email}`}>
        <SecondFactorForm
          secondFactors={secondFactors}
          onSignedIn={(session) => startSession(session, returnTo)}
          onCancel={() => setSecondFactors(undefined)}
        />
      </SignedOutLayout>
    )
  return (
    <SignedOutLayout title="Sign in" lead="No account yet? Ask an owner of a project to invite you.">
      <InsecureConnectionAlert />
      {error !== undefined && (
        <Alert color="red" title="Sign-in failed" role="alert">
          {describeProviderSignInError(error)}
        </Alert>
      )}
      {allowsPasswords && (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <ErrorAlert error={signIn.error} title="Sign-in failed" />
            <Button type="submit" fullWidth loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      )}
      {allowsPasswords && (
        <PasskeyButton label="Sign in with a passkey" onSignedIn={(session) => startSession(session, returnTo)} />
      )}
      <IdentityProviderButtons purpose="sign_in" returnTo={returnTo} />
    </SignedOutLayout>
  )
}
