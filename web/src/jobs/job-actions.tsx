import type { AgentJob } from '@colophon/sdk'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconArchive, IconPlayerStop } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { Refusal } from './refusal.tsx'

type Action = 'cancel' | 'archive'

const asks = {
  cancel: {
    title: 'Cancel this job?',
    text: 'The agent stops, and what it did in this turn is not kept. Messages that wait are dropped. A turn that is being published finishes first. You can send a message to go on later.',
    yes: 'Cancel the job',
    no: 'Let it work',
  },
  archive: {
    title: 'Archive this job?',
    text: 'It takes no more messages, for good; an agent that works stops. The pull request stays as it is.',
    yes: 'Archive the job',
    no: 'Keep it',
  },
} as const

export function JobActions({ projectId, job }: { projectId: string; job: AgentJob }) {
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<Action | null>(null)
  const stop = useMutation({
    mutationFn: (action: Action) => client.jobs[action](projectId, job.id),
    onSuccess: (stopped) => {
      setAsked(null)
      queryClient.setQueryData(['job', projectId, job.id], stopped)
      void queryClient.invalidateQueries({ queryKey: ['job', projectId, job.id] })
      void queryClient.invalidateQueries({ queryKey: ['jobs', projectId] })
    },
  })
  if (job.status === 'archived') return null
  const ask = (action: Action) => {
    stop.reset()
    setAsked(action)
  }
  return (
    <>
      {job.status === 'active' && (
        <Button
          variant="default"
          disabled={job.pendingStop !== null}
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => ask('cancel')}
        >
          Cancel
        </Button>
      )}
      <Button
        variant="default"
        disabled={job.pendingStop === 'archive'}
        leftSection={<IconArchive size={16} aria-hidden />}
        onClick={() => ask('archive')}
      >
        Archive
      </Button>
      <Modal opened={asked !== null} onClose={() => setAsked(null)} title={asked && asks[asked].title} centered>
        {asked && (
          <Stack>
            <Text size="sm">{asks[asked].text}</Text>
            <Refusal projectId={projectId} error={stop.error} title="That did not work" />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsked(null)} data-autofocus>
                {asks[asked].no}
              </Button>
              <Button loading={stop.isPending} onClick={() => stop.mutate(asked)}>
                {asks[asked].yes}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  )
}
