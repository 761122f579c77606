import { Button, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ChangePassword } from './change-password.tsx'
import { IdentityProviderButtons } from './identity-provider-buttons.tsx'

export function AccountPage() {
  const { person, providers } = useSession()
  const endOthers = useMutation({ mutationFn: () => client.session.endOthers() })
  if (!person) return null
  return (
    <>
      <PageHeader
        title="Account"
        lead={`${person.name}, ${person.email}${person.isOperator ? ', operator of this instance' : ''}`}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Paper withBorder p="lg" radius="md">
          <ChangePassword email={person.email} />
        </Paper>
        <Paper withBorder p="lg" radius="md">
          <Stack align="flex-start">
            <div>
              <Title order={2} size="h4">
                Other sessions
              </Title>
              <Text c="dimmed" size="sm">
                Signs you out everywhere except in this browser, for example if you lost a device. Takes effect
                immediately.
              </Text>
            </div>
            <ErrorAlert error={endOthers.error} />
            {endOthers.isSuccess && (
              <Text size="sm" role="status">
                All other sessions have been ended.
              </Text>
            )}
            <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
              End all other sessions
            </Button>
          </Stack>
        </Paper>
        {providers.length > 0 && (
          <Paper withBorder p="lg" radius="md">
            <Title order={2} size="h4">
              Linked accounts
            </Title>
            <Text c="dimmed" size="sm" mb="md">
              Link an account of your identity provider to sign in with it.
            </Text>
            <IdentityProviderButtons purpose="link" returnTo="/account" />
          </Paper>
        )}
      </SimpleGrid>
    </>
  )
}
