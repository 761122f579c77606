import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { useEnter } from './enter.ts'
import { FrontDoor } from './front-door.tsx'
import { InsecureNotice } from './insecure-notice.tsx'
import { wordsForProviderError } from './provider-errors.ts'
import { Providers } from './providers.tsx'

const page = getRouteApi('/sign-in')

export function SignInPage() {
  const { to = '/', error } = page.useSearch()
  const { hash } = useLocation()
  const onwards = hash === '' ? to : `${to}#${hash}` // an invitation's token, which must not stand in the query
  const enter = useEnter()
  const [email, setEmail] = useState('')
  const [password, resetPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => client.session.signIn({ email, password }),
    onSuccess: (session) => enter(session, onwards),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <FrontDoor title="Sign in" lead="New here? An owner of a project can invite you.">
      <InsecureNotice />
      {error !== undefined && (
        <Alert color="red" title="You are not signed in" role="alert">
          {wordsForProviderError(error)}
        </Alert>
      )}
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
            onChange={(event) => resetPassword(event.currentTarget.value)}
          />
          <Failure error={signIn.error} title="You are not signed in" />
          <Button type="submit" fullWidth loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Providers purpose="sign_in" returnTo={onwards} />
    </FrontDoor>
  )
}
