import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { AuditEntries } from '../shown/audit/audit-entries.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { instanceAuditQuery } from './queries.ts'

/** For operators: sign-ins, and what happened to the people, models and GitHub Apps of the instance. */
export function InstanceAuditPage() {
  const query = useInfiniteQuery(instanceAuditQuery)
  const entries = query.data?.pages.flatMap((page) => page.entries)
  return (
    <>
      <PageHeader
        title="Audit log"
        lead={
          <>
            Who signed in to this instance or failed to, and who changed its people, models and GitHub Apps. Each
            project has an audit log of its own, in its settings.{' '}
            <DocsLink page="people" inherit>
              What is recorded
            </DocsLink>
          </>
        }
      />
      <Stack>
        <ErrorAlert error={query.error} title="The audit log could not be loaded" />
        {query.isPending && <Skeleton h={200} />}
        {entries && (
          <Paper withBorder radius="md" p={{ base: 'md', sm: 'lg' }}>
            <Stack gap="md">
              {entries.length === 0 && <Text c="dimmed">Nothing has been recorded yet.</Text>}
              <AuditEntries entries={entries} query={query} />
            </Stack>
          </Paper>
        )}
      </Stack>
    </>
  )
}
