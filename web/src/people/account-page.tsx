import { Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useSession } from '../app/session.ts'
import { PageHeader } from '../shown/page-header.tsx'
import { AuthenticatorCard } from './authenticator-card.tsx'
import { ChangePassword } from './change-password.tsx'
import { IdentityProviderButtons } from './identity-provider-buttons.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { RecoveryCodesCard } from './recovery-codes-card.tsx'
import { Sessions } from './sessions.tsx'

export function AccountPage() {
  const { person, providers, secondFactors, allowsPasswords } = useSession()
  const withReauthentication = useReauthentication()
  if (!person) return null
  return (
    <>
      <PageHeader
        title="Account"
        lead={`${person.name}, ${person.email}${person.isOperator ? ', operator of this instance' : ''}`}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {allowsPasswords && (
          <Paper withBorder p="lg" radius="md">
            <ChangePassword email={person.email} />
          </Paper>
        )}
        <Paper withBorder p="lg" radius="md">
          <Sessions />
        </Paper>
        {allowsPasswords && (
          <>
            <Paper withBorder p="lg" radius="md">
              <PasskeysCard />
            </Paper>
            <Paper withBorder p="lg" radius="md">
              <AuthenticatorCard hasAuthenticator={secondFactors.includes('authenticator')} />
            </Paper>
          </>
        )}
        {allowsPasswords && person.hasSecondFactor && (
          <Paper withBorder p="lg" radius="md">
            <RecoveryCodesCard />
          </Paper>
        )}
        {providers.length > 0 && (
          <Paper withBorder p="lg" radius="md">
            <Title order={2} size="h4">
              Linked accounts
            </Title>
            <Text c="dimmed" size="sm" mb="md">
              Link an account of your identity provider to sign in with it.
            </Text>
            <IdentityProviderButtons purpose="link" returnTo="/account" withReauthentication={withReauthentication} />
          </Paper>
        )}
      </SimpleGrid>
    </>
  )
}
