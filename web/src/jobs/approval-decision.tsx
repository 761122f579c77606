import type { AgentJob } from '@colophon/sdk'
import { Box, Button, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canManage, useProject } from '../projects/project.ts'
import { ConfirmModal } from '../settings/confirm-modal.tsx'
import classes from './approval-decision.module.css'
import { diffQuery } from './job-queries.ts'
import { RequestErrorAlert } from './request-error-alert.tsx'
import { type Decision, useDecideOnResult } from './use-decide-on-result.ts'

/** Below the changes. An error stays visible after the job was loaded again, even if nothing is left to decide. */
export function ApprovalDecision({
  projectId,
  job,
  onDecided,
}: {
  projectId: string
  job: AgentJob
  onDecided: () => void
}) {
  const isOwner = canManage(useProject())
  const { mutate, variables, error, isPending } = useDecideOnResult(projectId, job.id, onDecided)
  const { data } = useQuery(diffQuery(projectId, job.id, job.updatedAt))
  return (
    <>
      {error && (
        <Box mt="md">
          <RequestErrorAlert
            projectId={projectId}
            error={error}
            title={variables.decision === 'reject' ? 'The result was not rejected' : 'The result was not approved'}
          />
        </Box>
      )}
      {job.approval && isOwner && (
        <DecisionBar
          approval={job.approval}
          isDiffShown={data?.diffSha256 === job.approval.diffSha256}
          isPending={isPending}
          onDecide={mutate}
        />
      )}
    </>
  )
}

function DecisionBar({
  approval: { diffSha256, isDiffComplete },
  isDiffShown,
  isPending,
  onDecide,
}: {
  approval: NonNullable<AgentJob['approval']>
  isDiffShown: boolean
  isPending: boolean
  onDecide: (decided: { decision: Decision; diffSha256: string }, options: { onSettled: () => void }) => void
}) {
  const [readSha256, setReadSha256] = useState(diffSha256)
  const [isConfirming, confirmation] = useDisclosure()
  const decide = (decision: Decision) =>
    onDecide({ decision, diffSha256: readSha256 }, { onSettled: confirmation.close })
  // Without this, a click could approve a result that appeared just before it.
  const isReplaced = readSha256 !== diffSha256
  return (
    <Paper withBorder p="md" mt="md" className={classes.bar} component="section" aria-label="Decision">
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {describeScope(isReplaced, isDiffComplete)}
        </Text>
        {isReplaced ? (
          <Button variant="default" onClick={() => setReadSha256(diffSha256)}>
            Decide on the new result
          </Button>
        ) : (
          <Group gap="sm">
            <Button variant="default" disabled={!isDiffShown || isPending} onClick={confirmation.open}>
              Reject
            </Button>
            <Button disabled={!isDiffShown} loading={isPending && !isConfirming} onClick={() => decide('approve')}>
              Approve and publish
            </Button>
          </Group>
        )}
      </Group>
      <ConfirmModal
        opened={isConfirming}
        title="Reject this result?"
        action="Reject result"
        mutation={{ isPending, error: null }}
        onConfirm={() => decide('reject')}
        onClose={confirmation.close}
      >
        Nothing is pushed, and the changes are discarded. This cannot be undone. You can send a message afterwards: the
        agent then starts again without these changes.
      </ConfirmModal>
    </Paper>
  )
}

function describeScope(isReplaced: boolean, isDiffComplete: boolean): string {
  if (isReplaced) return 'Another result replaced the one that you read. Read the changes again.'
  return isDiffComplete
    ? 'Approval publishes exactly these changes.'
    : 'Approval publishes these changes, and those that are not shown.'
}
