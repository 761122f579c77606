/** The state of a job's pull request on the code host, with the actions that can be taken here. */
import type { AgentJob } from '@colophon/sdk'
import { Alert, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconExternalLink } from '@tabler/icons-react'
import { canEdit, useProject } from '../projects/project.ts'
import { ExternalLink } from '../shown/external-link.tsx'
import { PullRequestLink } from './job-badges.tsx'
import styles from './pull-request-details.module.css'
import { RequestErrorAlert } from './request-error-alert.tsx'
import { useSendMessage } from './use-send-message.ts'

type PullRequest = NonNullable<AgentJob['pullRequest']>
type CiCheck = PullRequest['checks'][number]

export function PullRequestDetails({ job, pullRequest }: { job: AgentJob; pullRequest: PullRequest }) {
  const { state, branch, hasConflicts, previewUrl, checks } = pullRequest
  const project = useProject()
  const isOpen = state === 'open'
  return (
    <Stack gap="sm">
      <div>
        <Text component="div">
          <PullRequestLink pullRequest={pullRequest} />
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Branch {branch}
        </Text>
      </div>
      {previewUrl && (
        <Text size="sm" component="div">
          <ExternalLink href={previewUrl}>
            Preview site
            <IconExternalLink size={14} aria-hidden style={{ verticalAlign: '-2px', marginLeft: 4 }} />
          </ExternalLink>
        </Text>
      )}
      {isOpen && hasConflicts && (
        <Conflicts projectId={project.id} job={job} canSend={job.status !== 'archived' && canEdit(project)} />
      )}
      {checks.length > 0 && (
        <div>
          <Title order={3} size="sm" fw={600} mb={6} ff="text">
            CI checks
          </Title>
          <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {checks.map((check, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two checks can have the same name, and the code host orders them
              <li key={`${check.name} ${index}`}>
                <Check check={check} />
                {check.status === 'failed' && isOpen && job.status !== 'archived' && canEdit(project) && (
                  <SendToAgent projectId={project.id} jobId={job.id} name={check.name} />
                )}
              </li>
            ))}
          </Stack>
        </div>
      )}
    </Stack>
  )
}

function Conflicts({ projectId, job, canSend }: { projectId: string; job: AgentJob; canSend: boolean }) {
  const base = job.source.ref
  const send = useSendMessage(projectId, job.id)
  return (
    <Alert color="yellow" p="sm" title={`Conflicts with ${base}`}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          <Code>{base}</Code> has changed in the same places.{' '}
          {canSend
            ? 'Let the agent merge it and resolve the conflicts, or resolve them on the code host.'
            : 'Resolve the conflicts on the code host.'}
        </Text>
        {canSend && (
          <Button
            size="compact-sm"
            variant="default"
            loading={send.isPending}
            disabled={send.isSuccess}
            onClick={() => send.mutate({ prompt: `Resolve the conflicts with ${base}.`, resolveConflicts: true })}
          >
            {send.isSuccess ? 'Sent to agent' : 'Resolve conflicts'}
          </Button>
        )}
        <RequestErrorAlert projectId={projectId} error={send.error} title="The message was not sent" />
      </Stack>
    </Alert>
  )
}

const checkStatuses = {
  passed: { Icon: IconCircleCheck, color: 'var(--good)', label: 'passed' },
  failed: { Icon: IconCircleX, color: 'var(--bad)', label: 'failed' },
  pending: { Icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'pending' },
} as const

function Check({ check: { name, status, url, summary, log } }: { check: CiCheck }) {
  const { Icon, color, label } = checkStatuses[status]
  return (
    <>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Icon size={16} color={color} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {url ? (
            <ExternalLink href={url} c="inherit" underline="always">
              {name}
            </ExternalLink>
          ) : (
            name
          )}
          : {label}
        </Text>
      </Group>
      {summary && (
        <Text size="xs" c="dimmed" pl={22} style={{ overflowWrap: 'anywhere' }}>
          {summary}
        </Text>
      )}
      {log && (
        <details className={styles.log} onToggle={({ currentTarget }) => scrollToEnd(currentTarget)}>
          <summary>Log</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable */}
          <section tabIndex={0} aria-label={`Log of ${name}`}>
            <pre>{log}</pre>
          </section>
        </details>
      )}
    </>
  )
}

/** The end of a log usually says what went wrong. */
function scrollToEnd(details: HTMLDetailsElement) {
  const section = details.querySelector('section')
  if (section) section.scrollTop = section.scrollHeight
}

function SendToAgent({ projectId, jobId, name }: { projectId: string; jobId: string; name: string }) {
  const send = useSendMessage(projectId, jobId)
  return (
    <Stack gap="xs" pl={22} mt={6} align="flex-start">
      <Button
        size="compact-sm"
        variant="default"
        loading={send.isPending}
        disabled={send.isSuccess}
        aria-label={`${send.isSuccess ? 'Sent to agent' : 'Send to agent'}: ${name}`}
        onClick={() => send.mutate({ prompt: `The check “${name}” failed. Fix it.`, failedCheck: name })}
      >
        {send.isSuccess ? 'Sent to agent' : 'Send to agent'}
      </Button>
      <RequestErrorAlert projectId={projectId} error={send.error} title="The check was not sent" />
    </Stack>
  )
}
