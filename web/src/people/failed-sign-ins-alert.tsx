import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { sessionQuery, useSession } from '../app/session.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'

/** Tells the person that someone tried to sign in with their email address. */
export function FailedSignInsAlert() {
  const { failedSignIns } = useSession()
  const queryClient = useQueryClient()
  const dismiss = useMutation({
    mutationFn: () => client.session.dismissFailedSignIns(),
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  })
  if (!failedSignIns) return null
  return (
    <Alert color="yellow" title={`${failedSignIns.count} failed sign-ins to your account`} role="status" mb="lg">
      <Text size="sm" mb="sm">
        The last attempt was <RelativeTime at={failedSignIns.lastAt} />. If it was not you, make sure that no one else
        knows your password.
      </Text>
      <ErrorAlert error={dismiss.error} />
      <Group gap="sm">
        <ButtonLink to="/account" size="xs" variant="default">
          Review sessions and password
        </ButtonLink>
        <Button size="xs" variant="default" loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      </Group>
    </Alert>
  )
}
