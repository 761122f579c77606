import { Alert, List, Stack, Text } from '@mantine/core'
import { describeTurnFailure } from './failure-guidance.ts'
import { RefusalList } from './refusal-list.tsx'
import { parseRefusals } from './refusals.ts'
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
  const { title, advice, listsRefusals, options = [], links = [] } = guidance
  return (
    <Alert color="red" title={title}>
      <Stack gap="sm">
        <Text size="sm">{advice}</Text>
        {listsRefusals && <Refusals message={error.message} />}
        {options.length > 0 && <Options options={options} />}
      </Stack>
      <HelpLinks projectId={projectId} links={links} />
    </Alert>
  )
}

function Refusals({ message }: { message: string }) {
  const refusals = parseRefusals(message)
  if (refusals.length > 0) return <RefusalList refusals={refusals} />
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {message}
    </Text>
  )
}

const Options = ({ options }: { options: readonly string[] }) => (
  <div>
    <Text size="sm" fw={600} mb={4}>
      What you can do
    </Text>
    <List size="sm" spacing={4}>
      {options.map((option) => (
        <List.Item key={option}>{option}</List.Item>
      ))}
    </List>
  </div>
)
