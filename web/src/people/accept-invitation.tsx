import type { LookUpInvitationResponse } from '@colophon/sdk'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { Failure } from '../shown/failure.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { useEnter } from './enter.ts'
import { FrontDoor } from './front-door.tsx'
import { InsecureNotice } from './insecure-notice.tsx'
import { NewPassword } from './new-password.tsx'
import { Providers } from './providers.tsx'

const meaning = {
  owner: 'As an owner you can do everything in it.',
  editor: 'As an editor you can post jobs and see what is read.',
  viewer: 'As a viewer you can see its jobs and what is read.',
} as const

export function AcceptInvitation({ token, invitation }: { token: string; invitation: LookUpInvitationResponse }) {
  const { projectName, email, role, isKnown } = invitation
  const { person } = useSession()
  const enter = useEnter()
  const [name, setName] = useState('')
  const [password, resetPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => client.invitations.accept(isKnown ? { token } : { token, name, password }),
    onSuccess: (session) => enter(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  const isThem = person?.email.toLowerCase() === email.toLowerCase()
  return (
    <FrontDoor title={`Join ${projectName}`} lead={`${email} is invited. ${meaning[role]}`}>
      <InsecureNotice />
      {isKnown && !isThem ? (
        <>
          <Text>
            {person ? `You are signed in as ${person.email}. ` : ''}
            There is an account for {email}: sign in with it, and you come back here.
          </Text>
          <ButtonLink to="/sign-in" search={{ to: '/invitation' }} hash={token}>
            Sign in as {email}
          </ButtonLink>
        </>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {!isKnown && (
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
                <NewPassword value={password} onChange={resetPassword} />
              </>
            )}
            <Failure error={accept.error} title="You have not joined" />
            <Button type="submit" fullWidth loading={accept.isPending}>
              Join {projectName}
            </Button>
          </Stack>
          {!isKnown && <Providers purpose="sign_in" returnTo="/" />}
        </form>
      )}
    </FrontDoor>
  )
}
