import type { AuditEntry } from '@colophon/sdk'
import { Box, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { IconBrandGit, IconKey, IconTerminal2, IconUser } from '@tabler/icons-react'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { client } from '../app/client.ts'
import { useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { describeAuditEntry, parseAuditActor } from './describe-audit-entry.ts'
import { SettingsCard } from './settings-card.tsx'
import { SettingsPageLayout } from './settings-page-layout.tsx'

const auditQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', projectId],
    queryFn: ({ pageParam, signal }) =>
      client.audit.list(projectId, { limit: 30, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export function AuditSettingsPage() {
  const project = useProject()
  const query = useInfiniteQuery(auditQuery(project.id))
  return (
    <SettingsPageLayout
      title="Audit log"
      lead="Who did what in this project. Entries cannot be changed or deleted, except that deleted people are made anonymous."
      query={query}
    >
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries)
        if (entries.length === 0)
          return <EmptyState title="No entries yet">Actions of members, API keys and operators appear here.</EmptyState>
        return (
          <SettingsCard title="Entries">
            {entries.map((entry, index) => (
              <Fragment key={entry.id}>
                {index > 0 && <Divider />}
                <Entry entry={entry} projectId={project.id} />
              </Fragment>
            ))}
            {query.hasNextPage && (
              <Group justify="center">
                <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                  Show older entries
                </Button>
              </Group>
            )}
          </SettingsCard>
        )
      }}
    </SettingsPageLayout>
  )
}

const icons = { person: IconUser, key: IconKey, operator: IconTerminal2, 'code-host': IconBrandGit }

function Entry({ entry, projectId }: { entry: AuditEntry; projectId: string }) {
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
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <RelativeTime at={entry.at} /> ·{' '}
          {entry.subject.startsWith('job_') ? (
            <AnchorLink to="/projects/$projectId/jobs/$jobId" params={{ projectId, jobId: entry.subject }} inherit>
              {entry.subject}
            </AnchorLink>
          ) : (
            entry.subject
          )}
        </Text>
      </Stack>
    </Group>
  )
}
