/** What the code host says about a job's pull request, and what can be done about it from here. */
import type { AgentJob } from '@colophon/sdk'
import { Alert, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconExternalLink } from '@tabler/icons-react'
import { mayWork, useProject } from '../projects/project.ts'
import { WebLink } from '../shown/web-link.tsx'
import { PullRequestLink } from './job-badges.tsx'
import styles from './pull-request-facts.module.css'
import { Refusal } from './refusal.tsx'
import { useSendMessage } from './use-send-message.ts'

type PullRequest = NonNullable<AgentJob['pullRequest']>
type HostCheck = PullRequest['checks'][number]

export function PullRequestFacts({ job, pullRequest }: { job: AgentJob; pullRequest: PullRequest }) {
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
          <WebLink href={previewUrl}>
            Preview of the site
            <IconExternalLink size={14} aria-hidden style={{ verticalAlign: '-2px', marginLeft: 4 }} />
          </WebLink>
        </Text>
      )}
      {isOpen && hasConflicts && <Conflicts base={job.source.ref} />}
      {checks.length > 0 && (
        <div>
          <Title order={3} size="sm" fw={600} mb={6} ff="text">
            Checks on the code host
          </Title>
          <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {checks.map((check, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two checks may have one name, and the host orders them
              <li key={`${check.name} ${place}`}>
                <Check check={check} />
                {check.status === 'failed' && isOpen && job.status !== 'archived' && mayWork(project) && (
                  <SendCheck projectId={project.id} jobId={job.id} name={check.name} />
                )}
              </li>
            ))}
          </Stack>
        </div>
      )}
    </Stack>
  )
}

/** The agent cannot help while it is open: what it does goes on top of the same branch, and never merges. */
const Conflicts = ({ base }: { base: string }) => (
  <Alert color="yellow" p="sm" title={`Conflicts with ${base}`}>
    <Text size="sm">
      <Code>{base}</Code> has changed in the same places. Resolve it on the code host. Or close the pull request there
      and send a message: the agent then begins again from <Code>{base}</Code>, in a new one.
    </Text>
  </Alert>
)

const looks = {
  passed: { Icon: IconCircleCheck, color: 'var(--good)', word: 'passed' },
  failed: { Icon: IconCircleX, color: 'var(--bad)', word: 'failed' },
  pending: { Icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', word: 'not done yet' },
} as const

function Check({ check: { name, status, url, summary, log } }: { check: HostCheck }) {
  const { Icon, color, word } = looks[status]
  return (
    <>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Icon size={16} color={color} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {url ? (
            <WebLink href={url} c="inherit" underline="always">
              {name}
            </WebLink>
          ) : (
            name
          )}
          : {word}
        </Text>
      </Group>
      {summary && (
        <Text size="xs" c="dimmed" pl={22} style={{ overflowWrap: 'anywhere' }}>
          {summary}
        </Text>
      )}
      {log && (
        <details className={styles.log} onToggle={({ currentTarget }) => showEnd(currentTarget)}>
          <summary>Log</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
          <section tabIndex={0} aria-label={`Log of ${name}`}>
            <pre>{log}</pre>
          </section>
        </details>
      )}
    </>
  )
}

/** Where a log says what went wrong. */
function showEnd(details: HTMLDetailsElement) {
  const lines = details.querySelector('section')
  if (lines) lines.scrollTop = lines.scrollHeight
}

function SendCheck({ projectId, jobId, name }: { projectId: string; jobId: string; name: string }) {
  const send = useSendMessage(projectId, jobId)
  return (
    <Stack gap="xs" pl={22} mt={6} align="flex-start">
      <Button
        size="compact-sm"
        variant="default"
        loading={send.isPending}
        disabled={send.isSuccess}
        aria-label={`${send.isSuccess ? 'Sent to the agent' : 'Send to the agent'}: ${name}`}
        onClick={() => send.mutate({ prompt: `The check “${name}” failed. Mend it.`, failedCheck: name })}
      >
        {send.isSuccess ? 'Sent to the agent' : 'Send to the agent'}
      </Button>
      <Refusal projectId={projectId} error={send.error} title="It was not sent" />
    </Stack>
  )
}
