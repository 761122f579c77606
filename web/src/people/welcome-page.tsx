import { Button, Code, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { useEnter } from './enter.ts'
import { FrontDoor } from './front-door.tsx'
import { InsecureNotice } from './insecure-notice.tsx'
import { tokenIn } from './link-token.ts'
import { NewPassword } from './new-password.tsx'

/** Where an installation that nobody owns yet gets its first owner. */
export function WelcomePage() {
  const token = tokenIn(useLocation().hash)
  const enter = useEnter()
  const [pasted, setPasted] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, resetPassword] = useState('')
  const make = useMutation({
    mutationFn: () =>
      client.session.createFirstOwner({ token: token === '' ? tokenIn(pasted) : token, name, email, password }),
    onSuccess: (session) => enter(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <FrontDoor
      title="Welcome to Colophon"
      lead="Nobody owns this installation yet. Make the first account: it runs it."
    >
      <InsecureNotice />
      <form onSubmit={submit}>
        <Stack>
          {token === '' && (
            <>
              <Text size="sm">
                To show that the machine is yours, paste the link that <Code>api</Code> wrote into its log when it
                started. A new one comes from <Code>colophon-server admin owner-link</Code>.
              </Text>
              <Textarea
                label="Link or token"
                required
                autosize
                maxRows={4}
                value={pasted}
                onChange={(event) => setPasted(event.currentTarget.value)}
              />
            </>
          )}
          <TextInput
            label="Name"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <NewPassword value={password} onChange={resetPassword} />
          <Failure error={make.error} title="The account was not made" />
          <Button type="submit" fullWidth loading={make.isPending}>
            Make the account
          </Button>
        </Stack>
      </form>
    </FrontDoor>
  )
}
