import type { Session } from '@colophon/sdk'
import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { InsecureConnectionAlert } from './insecure-connection-alert.tsx'
import { parseLinkToken } from './link-token.ts'
import { NewPasswordInput } from './new-password-input.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'
import { useSwitchToSession } from './start-session.ts'

/** For people who forgot their password and got a one-time link from the operator. */
export function ResetPasswordPage() {
  const token = parseLinkToken(useLocation().hash)
  const startSession = useSwitchToSession()
  const navigate = useNavigate()
  const [newPassword, setNewPassword] = useState('')
  const [secondFactors, setSecondFactors] = useState<Session['secondFactors']>()
  const set = useMutation({
    mutationFn: () => client.session.resetPassword({ token, newPassword }),
    onSuccess: (session) =>
      session.needsSecondFactor ? setSecondFactors(session.secondFactors) : startSession(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate()
  }
  if (secondFactors)
    return (
      <SignedOutLayout title="Sign in" lead="The new password is set.">
        <SecondFactorForm
          secondFactors={secondFactors}
          onSignedIn={(session) => startSession(session)}
          onCancel={() => navigate({ to: '/sign-in' })}
        />
      </SignedOutLayout>
    )
  return (
    <SignedOutLayout title="Set a new password" lead="This ends all your sessions and signs you in here.">
      <InsecureConnectionAlert />
      {token === '' ? (
        'The link is incomplete. Copy the whole link, including the part after the # sign, into the address bar.'
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <NewPasswordInput label="New password" value={newPassword} onChange={setNewPassword} />
            <ErrorAlert error={set.error} title="The password was not set" />
            <Button type="submit" fullWidth loading={set.isPending}>
              Set password
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutLayout>
  )
}
