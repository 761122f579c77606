import { ColophonError, type Session } from '@colophon/sdk'
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useState } from 'react'
import { client } from '../app/client.ts'
import { sessionQuery, useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { IdentityProviderButtons } from './identity-provider-buttons.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { singleFlight } from './single-flight.ts'

type WithReauthentication = <Result>(action: () => Promise<Result>) => Promise<Result>

const ReauthenticationContext = createContext<WithReauthentication>((action) => action())

/**
 * For actions that require a recent sign-in. If the server demands reauthentication, asks for the password and repeats the
 * action: `const withReauthentication = useReauthentication(); await withReauthentication(() => client.keys.create(…))`.
 */
export const useReauthentication = (): WithReauthentication => useContext(ReauthenticationContext)

const requiresReauthentication = (error: unknown): boolean =>
  error instanceof ColophonError && error.code === 'reauthentication_required'

export function ReauthenticationProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<{ resolve(isConfirmed: boolean): void }>()
  const [confirm] = useState(() =>
    singleFlight(() => new Promise<boolean>((resolve) => setRequest({ resolve })).finally(() => setRequest(undefined))),
  )
  const withReauthentication: WithReauthentication = useCallback(
    async (action) => {
      try {
        return await action()
      } catch (error) {
        if (!requiresReauthentication(error)) throw error
        if (!(await confirm())) throw error // after a cancel, the caller shows why nothing happened
        return action()
      }
    },
    [confirm],
  )
  return (
    <ReauthenticationContext value={withReauthentication}>
      {children}
      <Modal
        opened={request !== undefined}
        onClose={() => request?.resolve(false)}
        title="Confirm that it is you"
        zIndex="calc(var(--mantine-z-index-modal) + 1)" // it opens on top of other modals
        centered
      >
        {request && (
          <ConfirmPassword onConfirmed={() => request.resolve(true)} onCancel={() => request.resolve(false)} />
        )}
      </Modal>
    </ReauthenticationContext>
  )
}

function ConfirmPassword({ onConfirmed, onCancel }: { onConfirmed(): void; onCancel(): void }) {
  const { person, secondFactors, allowsPasswords } = useSession()
  const { href } = useLocation()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const hasPasskey = secondFactors.includes('passkey')
  const confirm = (session: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, session)
    onConfirmed()
  }
  const signIn = useMutation({
    mutationFn: () => client.session.signIn({ email: person?.email ?? '', password }),
    onSuccess: (session) => (session.needsSecondFactor ? setNeedsSecondFactor(true) : confirm(session)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation() // a React event bubbles to the form that opened the modal
    signIn.mutate()
  }
  if (needsSecondFactor)
    return (
      <SecondFactorForm
        secondFactors={secondFactors}
        onSignedIn={confirm}
        onCancel={() => setNeedsSecondFactor(false)}
      />
    )
  if (!allowsPasswords)
    return (
      <Stack>
        <Text size="sm">Sign in again as {person?.email} to continue. You come back to this page.</Text>
        <IdentityProviderButtons purpose="reauthenticate" returnTo={href} />
      </Stack>
    )
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Enter the password for {person?.email} to continue.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorAlert error={signIn.error} title="Password not confirmed" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={signIn.isPending}>
            Confirm
          </Button>
        </Group>
        {hasPasskey && <PasskeyButton label="Use a passkey" onSignedIn={confirm} />}
        <IdentityProviderButtons purpose="reauthenticate" returnTo={href} />
      </Stack>
    </form>
  )
}
