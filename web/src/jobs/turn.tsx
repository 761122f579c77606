import type { JobMessage } from '@colophon/sdk'
import { Box, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useProject } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ExternalLink } from '../shown/external-link.tsx'
import { Markdown } from '../shown/markdown.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { omitReplyStep, toTurnSteps } from './timeline.ts'
import { TurnFailureAlert } from './turn-failure-alert.tsx'
import { TurnPhaseBar } from './turn-phase-bar.tsx'
import { TurnSteps } from './turn-steps.tsx'
import { type JobEventsState, useTurnEvents } from './use-job-events.ts'

const outcomeNotes: Readonly<Partial<Record<NonNullable<JobMessage['outcome']>, string>>> = {
  no_changes: 'The agent changed no files, so nothing was published.',
  awaiting_approval: 'The result was held for approval. Nothing was pushed.',
  rejected: 'The result was rejected. Nothing was pushed.',
  cancelled: 'Cancelled. The changes made in this turn were discarded.',
}

interface TurnProps {
  projectId: string
  jobId: string
  message: JobMessage
}

/** A message, the steps of the agent, and its reply. `live` has the events; without it they are loaded when the steps are opened. */
export function Turn({
  projectId,
  jobId,
  message,
  live,
  showsError,
}: TurnProps & { live: JobEventsState | undefined; showsError: boolean }) {
  const hasEnded = message.endedAt !== null
  const note = message.outcome && outcomeNotes[message.outcome]
  return (
    <Box component="section" aria-label={`Message ${message.number}`}>
      <Prompt message={message} />
      {(message.status === 'queued' || message.status === 'dropped') && message.startedAt === null ? (
        <Text size="sm" c="dimmed" mt="xs" pl={{ base: 0, sm: 'md' }}>
          {message.status === 'queued'
            ? 'Queued'
            : 'Dropped, because the job was stopped before this message was read.'}
        </Text>
      ) : (
        <Stack gap="sm" mt="md" pl={{ base: 0, sm: 'md' }}>
          {live ? (
            <LiveSteps message={message} {...live} />
          ) : (
            <EarlierSteps projectId={projectId} jobId={jobId} message={message} />
          )}
          {message.reply && <Markdown text={message.reply} />}
          {note && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
          {message.error && showsError && <TurnFailureAlert projectId={projectId} error={message.error} />}
          {(hasEnded || message.claimedAt !== null || live) && <TurnPhaseBar message={message} />}
        </Stack>
      )}
    </Box>
  )
}

function Prompt({ message }: { message: JobMessage }) {
  const { number, prompt, createdAt } = message
  const isLong = prompt.length >= 900
  const [isExpanded, setExpanded] = useState(!isLong)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb={4} gap="xs">
        <Text size="xs" fw={600} tt="uppercase" c="dimmed" lts={0.5}>
          {number === 1 ? 'Prompt' : `Message ${number}`}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <RelativeTime at={createdAt} />
        </Text>
      </Group>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {isExpanded ? prompt : `${prompt.slice(0, 700)} …`}
      </Text>
      {isLong && (
        <Button variant="subtle" size="compact-sm" ml={-8} mt={4} onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? 'Show less' : 'Show more'}
        </Button>
      )}
      <MessageOrigin message={message} />
    </Paper>
  )
}

/** Where the message came from, or what was attached to it. */
function MessageOrigin({ message: { failedCheck, comment, isAutomatic, resolvesConflicts } }: { message: JobMessage }) {
  if (failedCheck === null && comment === null && !resolvesConflicts) return null
  return (
    <Text size="xs" c="dimmed" mt={6} style={{ overflowWrap: 'anywhere' }}>
      {isAutomatic && 'Sent automatically. '}
      {resolvesConflicts && 'The base branch is merged first. '}
      {failedCheck !== null && `Includes the output of the failed check “${failedCheck}”.`}
      {comment && (
        <>
          From a{' '}
          <ExternalLink href={comment.url} size="xs">
            comment on the pull request
          </ExternalLink>{' '}
          by {comment.author}.
        </>
      )}
    </Text>
  )
}

function EarlierSteps({ projectId, jobId, message }: TurnProps) {
  const [isOpen, setOpen] = useState(false)
  const loaded = useTurnEvents(projectId, jobId, message.number, isOpen)
  const steps = useSteps(message, loaded)
  return (
    <div>
      <Toggle isOpen={isOpen} onChange={setOpen}>
        Steps
      </Toggle>
      {isOpen &&
        (steps.length > 0 ? <TurnSteps steps={steps} isLive={false} /> : <NoSteps message={message} {...loaded} />)}
    </div>
  )
}

function LiveSteps({ message, ...loaded }: { message: JobMessage } & JobEventsState) {
  const isLive = message.endedAt === null
  const [isOpen, setOpen] = useState(true)
  const steps = useSteps(message, loaded)
  if (steps.length === 0) return <NoSteps message={message} {...loaded} />
  const failed = steps.filter((step) => step.kind === 'tool_call' && step.result?.isError).length
  return (
    <div>
      <ErrorAlert error={loaded.error} title="The steps could not be loaded" />
      <Toggle isOpen={isOpen} onChange={setOpen}>
        {steps.length === 1 ? '1 step' : `${steps.length.toLocaleString('en')} steps`}
        {failed > 0 && `, ${failed} failed`}
      </Toggle>
      {isOpen && <TurnSteps steps={steps} isLive={isLive} />}
      {isLive && <TurnProgress text={isPublishing(message) ? 'Publishing' : 'Working'} />}
    </div>
  )
}

/** A turn whose result was approved is queued again, only to be published. */
const isPublishing = ({ status, publishingStartedAt }: JobMessage): boolean =>
  status === 'publishing' || (status === 'queued' && publishingStartedAt !== null)

const useSteps = ({ reply }: JobMessage, { events }: JobEventsState) =>
  useMemo(() => omitReplyStep(toTurnSteps(events), reply), [events, reply])

/** Shown while a turn has no steps. */
function NoSteps({ message, error, isLoading }: { message: JobMessage } & JobEventsState) {
  if (error) return <ErrorAlert error={error} title="The steps could not be loaded" />
  if (isLoading) return <Progress text="Loading steps" />
  if (message.endedAt === null)
    return (
      <TurnProgress
        text={message.claimedAt === null ? 'Waiting for a runner' : 'The agent is reading the repository'}
      />
    )
  return (
    <Text size="sm" c="dimmed">
      No steps are available. They are deleted after 90 days.
    </Text>
  )
}

function Toggle({
  isOpen,
  onChange,
  children,
}: {
  isOpen: boolean
  onChange: (isOpen: boolean) => void
  children: ReactNode
}) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      ml={-8}
      mb={4}
      onClick={() => onChange(!isOpen)}
      aria-expanded={isOpen}
      leftSection={<IconChevronDown size={14} style={{ rotate: isOpen ? '0deg' : '-90deg' }} aria-hidden />}
    >
      {children}
    </Button>
  )
}

/** A paused project accepts messages and results, and continues with them when it is resumed. */
const TurnProgress = ({ text }: { text: string }) => (
  <Progress text={useProject().pausedAt === null ? text : 'Waiting until the project is resumed'} />
)

const Progress = ({ text }: { text: string }) => (
  <Group gap="xs" role="status" mt={4}>
    <Loader size={14} />
    <Text size="sm" c="dimmed">
      {text} …
    </Text>
  </Group>
)
