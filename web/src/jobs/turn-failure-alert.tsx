import { Alert, Text } from '@mantine/core'
import { describeTurnFailure } from './failure-guidance.ts'
import { HelpLinks } from './request-error-alert.tsx'

/** Why a turn failed and what to do next. */
export function TurnFailureAlert({
  projectId,
  error,
}: {
  projectId: string
  error: { code: string; message: string }
}) {
  const guidance = describeTurnFailure(error.code)
  if (!guidance) {
    return (
      <Alert color="red" title="The turn failed">
        {error.message}
      </Alert>
    )
  }
  return (
    <Alert color="red" title={guidance.title}>
      {guidance.advice}
      <HelpLinks projectId={projectId} links={guidance.links ?? []} />
      {guidance.showsDetail && (
        <Text size="xs" mt="sm" style={{ overflowWrap: 'anywhere' }}>
          {error.message}
        </Text>
      )}
    </Alert>
  )
}
