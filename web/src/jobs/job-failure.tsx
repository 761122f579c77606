import { Alert, Text } from '@mantine/core'
import { wordsForTurnFailure } from './failure-words.ts'
import { HelpLinks } from './refusal.tsx'

/** Why a turn failed and what to do next. */
export function JobFailure({ projectId, error }: { projectId: string; error: { code: string; message: string } }) {
  const words = wordsForTurnFailure(error.code)
  if (!words) {
    return (
      <Alert color="red" title="The turn failed">
        {error.message}
      </Alert>
    )
  }
  return (
    <Alert color="red" title={words.title}>
      {words.next}
      <HelpLinks projectId={projectId} help={words.help ?? []} />
      {words.saysMore && (
        <Text size="xs" mt="sm" style={{ overflowWrap: 'anywhere' }}>
          {error.message}
        </Text>
      )}
    </Alert>
  )
}
