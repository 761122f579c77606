import type { AgentJob } from '@colophon/sdk'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconArchive, IconPlayerStop } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { RequestErrorAlert } from './request-error-alert.tsx'

type Action = 'cancel' | 'archive'

const confirmations = {
  cancel: {
    title: 'Cancel this job?',
    text: 'The agent stops, and its changes in this turn are discarded. Queued messages are dropped. A turn that is being published finishes first. You can send another message later.',
    confirm: 'Cancel job',
    dismiss: 'Keep running',
  },
  archive: {
    title: 'Archive this job?',
    text: 'The agent stops if it is working, and the job accepts no more messages. This cannot be undone. The pull request does not change.',
    confirm: 'Archive job',
    dismiss: 'Keep job',
  },
} as const

export function JobActions({ projectId, job }: { projectId: string; job: AgentJob }) {
  const queryClient = useQueryClient()
  const [confirming, setConfirming] = useState<Action | null>(null)
  const stop = useMutation({
    mutationFn: (action: Action) => client.jobs[action](projectId, job.id),
    onSuccess: (stopped) => {
      setConfirming(null)
      queryClient.setQueryData(['job', projectId, job.id], stopped)
      void queryClient.invalidateQueries({ queryKey: ['job', projectId, job.id] })
      void queryClient.invalidateQueries({ queryKey: ['jobs', projectId] })
    },
  })
  if (job.status === 'archived') return null
  const confirm = (action: Action) => {
    stop.reset()
    setConfirming(action)
  }
  return (
    <>
      {job.status === 'active' && (
        <Button
          variant="default"
          disabled={job.pendingStop !== null}
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => confirm('cancel')}
        >
          Cancel
        </Button>
      )}
      <Button
        variant="default"
        disabled={job.pendingStop === 'archive'}
        leftSection={<IconArchive size={16} aria-hidden />}
        onClick={() => confirm('archive')}
      >
        Archive
      </Button>
      <Modal
        opened={confirming !== null}
        onClose={() => setConfirming(null)}
        title={confirming && confirmations[confirming].title}
        centered
      >
        {confirming && (
          <Stack>
            <Text size="sm">
              {confirmations[confirming].text}
              {job.approval && ' The result that awaits approval can no longer be approved.'}
            </Text>
            <RequestErrorAlert
              projectId={projectId}
              error={stop.error}
              title={confirming === 'cancel' ? 'The job was not cancelled' : 'The job was not archived'}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setConfirming(null)} data-autofocus>
                {confirmations[confirming].dismiss}
              </Button>
              <Button loading={stop.isPending} onClick={() => stop.mutate(confirming)}>
                {confirmations[confirming].confirm}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  )
}
