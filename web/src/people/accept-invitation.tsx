import type { LookUpInvitationResponse } from '@colophon/sdk'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { IdentityProviderButtons } from './identity-provider-buttons.tsx'
import { InsecureConnectionAlert } from './insecure-connection-alert.tsx'
import { NewPasswordInput } from './new-password-input.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'
import { useSwitchToSession } from './start-session.ts'

const roleDescriptions = {
  owner: 'As an owner, you have full access.',
  editor: 'As an editor, you can read everything and manage jobs.',
  viewer: 'As a viewer, you can read everything.',
} as const

export function AcceptInvitation({ token, invitation }: { token: string; invitation: LookUpInvitationResponse }) {
  const { projectName, email, role, hasAccount, canClaim } = invitation
  const { person, allowsPasswords } = useSession()
  const startSession = useSwitchToSession()
  const [isClaiming, setIsClaiming] = useState(false)
  const isNewAccount = !hasAccount || isClaiming
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => client.invitations.accept(isNewAccount ? { token, name, password } : { token }),
    onSuccess: (session) => startSession(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  const isSignedInAsInvited = person?.email.toLowerCase() === email.toLowerCase()
  return (
    <SignedOutLayout title={`Join ${projectName}`} lead={`You are invited as ${email}. ${roleDescriptions[role]}`}>
      <InsecureConnectionAlert />
      {!isNewAccount && !isSignedInAsInvited ? (
        <>
          <Text>
            {person ? `You are signed in as ${person.email}. ` : ''}
            {email} already has an account. Sign in with it to accept the invitation.
          </Text>
          <ButtonLink to="/sign-in" search={{ to: '/invitation' }} hash={token}>
            Sign in as {email}
          </ButtonLink>
          {canClaim && allowsPasswords && (
            <>
              <Text size="sm">
                You did not create this account, or forgot its password? Because this link came by email, you can take
                the account over with a new password. It ends all its sessions.
              </Text>
              <Button variant="default" onClick={() => setIsClaiming(true)}>
                Take over the account
              </Button>
            </>
          )}
        </>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {isNewAccount && allowsPasswords && (
              <>
                <TextInput label="Email" autoComplete="username" value={email} readOnly />
                <TextInput
                  label="Name"
                  autoComplete="name"
                  required
                  maxLength={100}
                  value={name}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <NewPasswordInput value={password} onChange={setPassword} />
              </>
            )}
            <ErrorAlert error={accept.error} title="The invitation was not accepted" />
            {(!isNewAccount || allowsPasswords) && (
              <Button type="submit" fullWidth loading={accept.isPending}>
                Join {projectName}
              </Button>
            )}
          </Stack>
          {!hasAccount && <IdentityProviderButtons purpose="sign_in" returnTo="/" />}
        </form>
      )}
    </SignedOutLayout>
  )
}
