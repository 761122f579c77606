import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { CopyLine } from './copy-line.tsx'
import { ErrorAlert } from './error-alert.tsx'

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: 'For 1 hour' },
  { value: '24', label: 'For 1 day' },
  { value: '168', label: 'For 7 days' },
]

interface Props {
  noun: 'secret' | 'token'
  description: string
  overlapLabel: string
  /** What to do with the new one. */
  instructions: ReactNode
  /** Returns the new secret or token. */
  rotate(overlapHours: number): Promise<string>
  close(): void
}

/** Replaces a secret or a token by a new one, which is shown once. */
export function RotationForm({ noun, description, overlapLabel, instructions, rotate, close }: Props) {
  const [overlapHours, setOverlapHours] = useState('24')
  const rotation = useMutation({ mutationFn: () => rotate(Number(overlapHours)) })
  if (rotation.data !== undefined)
    return (
      <Stack>
        <CopyLine label={`New ${noun}`} value={rotation.data} />
        <Text size="sm">
          Copy the {noun} now. This is the only time it is shown. {instructions}
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    )
  return (
    <Stack>
      <Text size="sm">{description}</Text>
      <NativeSelect
        label={overlapLabel}
        data={overlaps}
        value={overlapHours}
        onChange={(event) => setOverlapHours(event.currentTarget.value)}
      />
      <ErrorAlert error={rotation.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={rotation.isPending} onClick={() => rotation.mutate()}>
          Rotate {noun}
        </Button>
      </Group>
    </Stack>
  )
}
