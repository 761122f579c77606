import { ColophonError } from '@colophon/sdk'
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useState } from 'react'
import { client } from '../app/client.ts'
import { sessionQuery, useSession } from '../app/session.ts'
import { Failure } from '../shown/failure.tsx'
import { oneQuestion } from './one-question.ts'
import { Providers } from './providers.tsx'

type Fresh = <Answer>(action: () => Promise<Answer>) => Promise<Answer>

const FreshContext = createContext<Fresh>((action) => action())

/**
 * Does what only a fresh session may do. Where the session is not fresh, it asks for the password and does it then:
 * `const fresh = useFreshSession(); await fresh(() => client.keys.create(…))`.
 */
export const useFreshSession = (): Fresh => useContext(FreshContext)

const wantsFreshSession = (error: unknown): boolean =>
  error instanceof ColophonError && error.code === 'reauthentication_required'

export function FreshSessionProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ response(isFresh: boolean): void }>()
  const [ask] = useState(() =>
    oneQuestion(() => new Promise<boolean>((response) => setAsked({ response })).finally(() => setAsked(undefined))),
  )
  const fresh: Fresh = useCallback(
    async (action) => {
      try {
        return await action()
      } catch (error) {
        if (!wantsFreshSession(error)) throw error
        if (!(await ask())) throw error // whoever thought better of it sees why nothing happened
        return action()
      }
    },
    [ask],
  )
  return (
    <FreshContext value={fresh}>
      {children}
      <Modal
        opened={asked !== undefined}
        onClose={() => asked?.response(false)}
        title="Is it still you?"
        zIndex="calc(var(--mantine-z-index-modal) + 1)" // it is asked from within dialogs
        centered
      >
        {asked && <AskPassword done={() => asked.response(true)} giveUp={() => asked.response(false)} />}
      </Modal>
    </FreshContext>
  )
}

function AskPassword({ done, giveUp }: { done(): void; giveUp(): void }) {
  const { person } = useSession()
  const { href } = useLocation()
  const queryClient = useQueryClient()
  const [password, resetPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => client.session.signIn({ email: person?.email ?? '', password }),
    onSuccess: (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, session)
      done()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation() // a React event climbs to the form that the dialog was opened from
    signIn.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          You signed in a while ago. Before this, show that it is you who sits here: the password of {person?.email}.
        </Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => resetPassword(event.currentTarget.value)}
        />
        <Failure error={signIn.error} title="That was not it" />
        <Group justify="flex-end">
          <Button variant="default" onClick={giveUp}>
            Cancel
          </Button>
          <Button type="submit" loading={signIn.isPending}>
            Go on
          </Button>
        </Group>
        <Providers purpose="sign_in" returnTo={href} />
      </Stack>
    </form>
  )
}
