import { Button, Code, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { InsecureConnectionAlert } from './insecure-connection-alert.tsx'
import { parseLinkToken } from './link-token.ts'
import { NewPasswordInput } from './new-password-input.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'
import { useSwitchToSession } from './start-session.ts'

/** Creates the first account of an instance. */
export function CreateFirstOwnerPage() {
  const token = parseLinkToken(useLocation().hash)
  const startSession = useSwitchToSession()
  const [pasted, setPasted] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const create = useMutation({
    mutationFn: () =>
      client.session.createFirstOwner({ token: token === '' ? parseLinkToken(pasted) : token, name, email, password }),
    onSuccess: (session) => startSession(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <SignedOutLayout
      title="Welcome to Colophon"
      lead="Create the first account. You become an operator of this instance."
    >
      <InsecureConnectionAlert />
      <form onSubmit={submit}>
        <Stack>
          {token === '' && (
            <>
              <Text size="sm">
                Paste the link that <Code>api</Code> wrote to its log when it started. It proves that you run this
                server.{' '}
                <DocsLink page="people" inherit>
                  How to get a new link
                </DocsLink>
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
          <NewPasswordInput value={password} onChange={setPassword} />
          <ErrorAlert error={create.error} title="The account was not created" />
          <Button type="submit" fullWidth loading={create.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </SignedOutLayout>
  )
}
