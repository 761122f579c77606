import { Button, Divider } from '@mantine/core'
import { client } from '../app/client.ts'
import { AddPasskey } from './add-passkey.tsx'
import { ReauthenticationProvider } from './reauthentication.tsx'
import { SetUpAuthenticator } from './set-up-authenticator.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'
import { useSwitchToSession } from './start-session.ts'

/** The only page for people who have to set up a second factor first. */
export function RequiredSecondFactorPage() {
  const startSession = useSwitchToSession()
  return (
    <SignedOutLayout
      title="Set up a second factor"
      lead="This instance requires one: a passkey on your device, or an authenticator app on your phone or in your password manager."
    >
      <ReauthenticationProvider>
        <AddPasskey onAdded={async () => startSession(await client.session.get())} />
        <Divider label="or" />
        <SetUpAuthenticator onDone={(session) => startSession(session)} />
      </ReauthenticationProvider>
      <Button variant="subtle" onClick={async () => startSession(await client.session.signOut(), '/sign-in')}>
        Sign out
      </Button>
    </SignedOutLayout>
  )
}
