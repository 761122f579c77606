import type { AuditEntry } from '@colophon/sdk'
import { Box, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { IconBrandGit, IconInfinity, IconKey, IconTerminal2, IconUser, IconUserQuestion } from '@tabler/icons-react'
import { Fragment } from 'react'
import { AnchorLink } from '../links.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { describeAuditEntry, parseAuditActor } from './describe-audit-entry.ts'

interface PagedQuery {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): void
}

/** `projectId` is undefined for the audit log of the instance. */
export function AuditEntries({
  entries,
  projectId,
  query,
}: {
  entries: readonly AuditEntry[]
  projectId?: string
  query: PagedQuery
}) {
  return (
    <>
      {entries.map((entry, index) => (
        <Fragment key={entry.id}>
          {index > 0 && <Divider />}
          <Entry entry={entry} projectId={projectId} />
        </Fragment>
      ))}
      {query.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            Show older entries
          </Button>
        </Group>
      )}
    </>
  )
}

const icons = {
  person: IconUser,
  key: IconKey,
  'ci-run': IconInfinity,
  operator: IconTerminal2,
  'code-host': IconBrandGit,
  anonymous: IconUserQuestion,
}

function Entry({ entry, projectId }: { entry: AuditEntry; projectId: string | undefined }) {
  const actor = parseAuditActor(entry.actor)
  const Icon = icons[actor.kind]
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Box mt={2} c="dimmed" visibleFrom="xs">
        <Icon size={18} aria-hidden="true" />
      </Box>
      <Stack gap={2} style={{ minWidth: 0 }}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit fw={600}>
            {actor.name}
          </Text>{' '}
          {describeAuditEntry(entry)}
        </Text>
        {entry.action === 'project.instructions_changed' && <Instructions {...entry.detail} />}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <RelativeTime at={entry.at} /> ·{' '}
          {projectId !== undefined && entry.subject.startsWith('job_') ? (
            <AnchorLink to="/projects/$projectId/jobs/$jobId" params={{ projectId, jobId: entry.subject }} inherit>
              {entry.subject}
            </AnchorLink>
          ) : (
            entry.subject
          )}
          {entry.ipAddress && ` · ${entry.ipAddress}`}
        </Text>
      </Stack>
    </Group>
  )
}

/** The texts before and after the change. Entries of earlier versions have none. */
function Instructions({ from, to }: { from?: unknown; to?: unknown }) {
  if (from === undefined && to === undefined) return null
  return (
    <Text component="details" size="xs">
      <summary>Before and after</summary>
      {[from, to].map((instructions, index) => (
        <Text key={index === 0 ? 'before' : 'after'} component="pre" size="xs" style={{ whiteSpace: 'pre-wrap' }}>
          {`${index === 0 ? 'Before' : 'After'}: ${typeof instructions === 'string' ? instructions : '(none)'}`}
        </Text>
      ))}
    </Text>
  )
}
