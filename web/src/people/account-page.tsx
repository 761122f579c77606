import { Button, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { Failure } from '../shown/failure.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ChangePassword } from './change-password.tsx'
import { Providers } from './providers.tsx'

export function AccountPage() {
  const { person, providers } = useSession()
  const endOthers = useMutation({ mutationFn: () => client.session.endOthers() })
  if (!person) return null
  return (
    <>
      <PageHeader
        title="Account"
        lead={`${person.name}, ${person.email}${person.isOperator ? ', runs this installation' : ''}`}
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
                Signed in on a machine that is not yours, or lost one? This ends every session but the one you are
                using, at once.
              </Text>
            </div>
            <Failure error={endOthers.error} />
            {endOthers.isSuccess && (
              <Text size="sm" role="status">
                Only this session is left.
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
              Another way in
            </Title>
            <Text c="dimmed" size="sm" mb="md">
              Link an account elsewhere, and you can sign in with it from then on.
            </Text>
            <Providers purpose="link" returnTo="/account" />
          </Paper>
        )}
      </SimpleGrid>
    </>
  )
}
