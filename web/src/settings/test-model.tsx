import { Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { detailOf } from '../shown/failure.tsx'

/** One tiny call, made where jobs make theirs, and what came of it. */
export function TestModel({ projectId, model }: { projectId: string; model: string }) {
  const test = useMutation({ mutationFn: () => client.jobs.testModel(projectId, { model }) })
  const wrong = test.error ? detailOf(test.error) : test.data && !test.data.ok ? test.data.message : undefined
  return (
    <Group gap="xs" maw="100%" role="status">
      {wrong !== undefined && (
        <Text size="sm" c="var(--bad)" maw={420}>
          <IconAlertTriangle size={15} aria-hidden="true" /> {wrong}
        </Text>
      )}
      {test.data?.ok && (
        <Text size="sm" c="var(--good)">
          <IconCircleCheck size={15} aria-hidden="true" /> Answered in {(test.data.latencyMs / 1000).toFixed(1)} s
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
