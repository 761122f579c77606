import { Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { toErrorDetail } from '../shown/error-alert.tsx'

/** Makes a short call to the model, through the same worker as jobs do, and shows the result. */
export function TestModelButton({ projectId, model }: { projectId: string; model: string }) {
  const test = useMutation({ mutationFn: () => client.jobs.testModel(projectId, { model }) })
  const failure = test.error ? toErrorDetail(test.error) : test.data && !test.data.ok ? test.data.message : undefined
  return (
    <Group gap="xs" maw="100%" role="status">
      {failure !== undefined && (
        <Text size="sm" c="var(--bad)" maw={420}>
          <IconAlertTriangle size={15} aria-hidden="true" /> {failure}
        </Text>
      )}
      {test.data?.ok && (
        <Text size="sm" c="var(--good)">
          <IconCircleCheck size={15} aria-hidden="true" /> Responded in {(test.data.latencyMs / 1000).toFixed(1)} s
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Test ${model}`}
      >
        Test
      </Button>
    </Group>
  )
}
