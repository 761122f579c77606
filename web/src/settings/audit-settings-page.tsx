import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useProject } from '../projects/project.ts'
import { AuditEntries } from '../shown/audit/audit-entries.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
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
      lead="Who did what in this project. Entries cannot be changed, except that deleted people are made anonymous."
      query={query}
    >
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries)
        if (entries.length === 0)
          return <EmptyState title="No entries yet">Actions of members, API keys and operators appear here.</EmptyState>
        return (
          <SettingsCard title="Entries">
            <AuditEntries entries={entries} projectId={project.id} query={query} />
          </SettingsCard>
        )
      }}
    </SettingsPageLayout>
  )
}
