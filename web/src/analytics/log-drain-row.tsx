/** A log drain: what has arrived, and what to do at the host. */
import type { LogDrain } from '@colophon/sdk'
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCreator } from '../people/format-creator.ts'
import { DangerButton } from '../settings/danger-button.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { EditLogDrainForm } from './edit-log-drain-form.tsx'
import { formatCount } from './format-numbers.ts'
import { type LogDrainSummary, summarizeDays } from './log-drain-days.ts'
import { labelOf, logDrainHosts } from './log-drain-hosts.ts'
import { LogDrainSteps } from './log-drain-steps.tsx'

interface Props {
  projectId: string
  drain: LogDrain
  canChange: boolean
  onDelete(): void
}

export function LogDrainRow({ projectId, drain, canChange, onDelete }: Props) {
  const { name, format, host, firstEventAt, lastEventAt, createdBy } = drain
  const [isOpen, setIsOpen] = useState(false)
  const summary = summarizeDays(drain, new Date())
  const label = labelOf(format)
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {label !== name && label}
            {label !== name && host !== null && ' · '}
            {host}
          </Text>
          <StateBadge isReceiving={lastEventAt !== null} />
        </Group>
        {canChange && (
          <Group gap="xs">
            <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? 'Close' : 'Set up'}
            </Button>
            <DangerButton subject={name} onClick={onDelete}>
              Delete
            </DangerButton>
          </Group>
        )}
      </Group>
      {firstEventAt !== null && lastEventAt !== null && (
        <Text size="sm">
          First logs <RelativeTime at={firstEventAt} />, last logs <RelativeTime at={lastEventAt} />
        </Text>
      )}
      <Text size="sm" className="numbers">
        {describeToday(summary)}
        {lastEventAt !== null && describeDays(summary)}
      </Text>
      <Problem summary={summary} drain={drain} />
      {isOpen && (
        <Stack gap="sm" mt="xs">
          <LogDrainSteps format={format} />
          <EditLogDrainForm projectId={projectId} drain={drain} options={logDrainHosts[format] ?? { hasHosts: true }} />
          <Text size="xs" c="dimmed">
            {createdBy !== null && `Created by ${formatCreator(createdBy)}. `}The secret cannot be shown again: to
            replace it, add another log drain and delete this one.
          </Text>
        </Stack>
      )}
    </Stack>
  )
}

function StateBadge({ isReceiving }: { isReceiving: boolean }) {
  return isReceiving ? (
    <Badge color="teal.9" variant="filled" tt="none">
      Receiving logs
    </Badge>
  ) : (
    <Badge variant="default" tt="none">
      Waiting for the first logs
    </Badge>
  )
}

function describeToday({ today }: LogDrainSummary): string {
  if (!today) return ''
  const { counted, dropped, ignored, unreadable } = today
  const others = `${formatCount(dropped)} dropped, ${formatCount(ignored)} ignored, ${formatCount(unreadable)} unreadable. `
  return `Today: ${formatCount(counted)} page views, ${others}`
}

const maxShownDays = 3

function describeDays({ measuredDays, expectedDays, missingDays }: LogDrainSummary): string {
  if (missingDays.length === 0) return expectedDays === 1 ? '' : `Logs on all of the last ${expectedDays} days.`
  const more = missingDays.length - maxShownDays
  const shown = `${missingDays.slice(0, maxShownDays).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `Logs on ${measuredDays} of the last ${expectedDays} days, none on ${shown}.`
}

function Problem({ summary: { problem }, drain: { host, format } }: { summary: LogDrainSummary; drain: LogDrain }) {
  if (problem === undefined) return null
  if (problem === 'other hosts')
    return (
      <Alert color="yellow" title="No request was counted">
        {host === null
          ? 'None of the lines that arrived are requests from visitors.'
          : `None of the requests that arrived are for ${host}. Check the host, or remove it.`}
      </Alert>
    )
  const hint = host !== null && ' or they do not contain the host of the request'
  return (
    <Alert color="yellow" title="Some lines could not be read">
      They are not in the format of {labelOf(format)}
      {hint}. Compare the settings at your host with the steps of this log drain.
    </Alert>
  )
}
