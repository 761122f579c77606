import type { JobMessage } from '@colophon/sdk'
import { Box, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Ago } from '../shown/ago.tsx'
import { Failure } from '../shown/failure.tsx'
import { Markdown } from '../shown/markdown.tsx'
import { WebLink } from '../shown/web-link.tsx'
import { JobFailure } from './job-failure.tsx'
import { Steps } from './steps.tsx'
import { stepsOf, withoutReply } from './timeline.ts'
import { TurnTimes } from './turn-times.tsx'
import { type LiveEvents, useTurnEvents } from './use-job-events.ts'

const endWords: Readonly<Partial<Record<NonNullable<JobMessage['outcome']>, string>>> = {
  no_changes: 'The agent changed no file, so nothing was published.',
  cancelled: 'Cancelled: what the agent did in this turn was not kept.',
}

interface TurnProps {
  projectId: string
  jobId: string
  message: JobMessage
}

/** One prompt, what the agent did about it, and what it answered. Its events are at hand, or asked for when wanted. */
export function Turn({
  projectId,
  jobId,
  message,
  live,
  saysWhyItFailed,
}: TurnProps & { live: LiveEvents | undefined; saysWhyItFailed: boolean }) {
  const isOver = message.endedAt !== null
  const end = message.outcome && endWords[message.outcome]
  return (
    <Box component="section" aria-label={`Message ${message.number}`}>
      <Prompt message={message} />
      {(message.status === 'queued' || message.status === 'dropped') && message.startedAt === null ? (
        <Text size="sm" c="dimmed" mt="xs" pl={{ base: 0, sm: 'md' }}>
          {message.status === 'queued' ? 'Waiting for its turn.' : 'Dropped: the job was stopped before its turn came.'}
        </Text>
      ) : (
        <Stack gap="sm" mt="md" pl={{ base: 0, sm: 'md' }}>
          {live ? (
            <Done message={message} {...live} />
          ) : (
            <DoneLongAgo projectId={projectId} jobId={jobId} message={message} />
          )}
          {message.reply && <Markdown text={message.reply} />}
          {end && (
            <Text size="sm" c="dimmed">
              {end}
            </Text>
          )}
          {message.error && saysWhyItFailed && <JobFailure projectId={projectId} error={message.error} />}
          {(isOver || message.claimedAt !== null || live) && <TurnTimes message={message} />}
        </Stack>
      )}
    </Box>
  )
}

function Prompt({ message }: { message: JobMessage }) {
  const { number, prompt, createdAt } = message
  const isLong = prompt.length >= 900
  const [isWhole, setWhole] = useState(!isLong)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb={4} gap="xs">
        <Text size="xs" fw={600} tt="uppercase" c="dimmed" lts={0.5}>
          {number === 1 ? 'Prompt' : `Message ${number}`}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Ago at={createdAt} />
        </Text>
      </Group>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {isWhole ? prompt : `${prompt.slice(0, 700)} …`}
      </Text>
      {isLong && (
        <Button variant="subtle" size="compact-sm" ml={-8} mt={4} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less of it' : 'Show all of it'}
        </Button>
      )}
      <CameWith message={message} />
    </Paper>
  )
}

/** Where it was read, or what the agent was given besides. */
function CameWith({ message: { failedCheck, comment } }: { message: JobMessage }) {
  if (failedCheck === null && comment === null) return null
  return (
    <Text size="xs" c="dimmed" mt={6} style={{ overflowWrap: 'anywhere' }}>
      {failedCheck !== null && `With the output of the failed check “${failedCheck}”.`}
      {comment && (
        <>
          From a{' '}
          <WebLink href={comment.url} size="xs">
            comment on the pull request
          </WebLink>{' '}
          by {comment.author}.
        </>
      )}
    </Text>
  )
}

function DoneLongAgo({ projectId, jobId, message }: TurnProps) {
  const [isOpen, setOpen] = useState(false)
  const found = useTurnEvents(projectId, jobId, message.number, isOpen)
  const steps = useStepsOf(message, found)
  return (
    <div>
      <Fold isOpen={isOpen} onChange={setOpen}>
        What the agent did
      </Fold>
      {isOpen && (steps.length > 0 ? <Steps steps={steps} isLive={false} /> : <NoSteps message={message} {...found} />)}
    </div>
  )
}

function Done({ message, ...found }: { message: JobMessage } & LiveEvents) {
  const isLive = message.endedAt === null
  const [isOpen, setOpen] = useState(true)
  const steps = useStepsOf(message, found)
  if (steps.length === 0) return <NoSteps message={message} {...found} />
  const failed = steps.filter((step) => step.kind === 'called' && step.result?.failed).length
  return (
    <div>
      <Failure error={found.error} title="What the agent did could not be loaded" />
      <Fold isOpen={isOpen} onChange={setOpen}>
        {counted(steps.length, 'step')}
        {failed > 0 && `, ${failed} failed`}
      </Fold>
      {isOpen && <Steps steps={steps} isLive={isLive} />}
      {isLive && <Working words={message.status === 'publishing' ? 'Publishing' : 'Working'} />}
    </div>
  )
}

const useStepsOf = ({ reply }: JobMessage, { events }: LiveEvents) =>
  useMemo(() => withoutReply(stepsOf(events), reply), [events, reply])

/** Why there is none to show. */
function NoSteps({ message, error, isLoading }: { message: JobMessage } & LiveEvents) {
  if (error) return <Failure error={error} title="What the agent did could not be loaded" />
  if (isLoading) return <Working words="Loading what the agent did" />
  if (message.endedAt === null)
    return <Working words={message.claimedAt === null ? 'Waiting for a runner' : 'The agent reads the repository'} />
  return (
    <Text size="sm" c="dimmed">
      There is no record of single steps: they are kept for 90 days.
    </Text>
  )
}

function Fold({
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

const counted = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

const Working = ({ words }: { words: string }) => (
  <Group gap="xs" role="status" mt={4}>
    <Loader size={14} />
    <Text size="sm" c="dimmed">
      {words} …
    </Text>
  </Group>
)
