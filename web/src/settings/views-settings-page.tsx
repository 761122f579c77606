import { useQuery } from '@tanstack/react-query'
import { viewSettingsQuery } from '../analytics/queries.ts'
import { canManage, useProject } from '../projects/project.ts'
import { SettingsPageLayout } from './settings-page-layout.tsx'
import { SiteKeysCard } from './site-keys-card.tsx'
import { ViewCountingCard } from './view-counting-card.tsx'

export function ViewsSettingsPage() {
  const project = useProject()
  const query = useQuery(viewSettingsQuery(project.id))
  const cardProps = { projectId: project.id, canChange: canManage(project) }
  return (
    <SettingsPageLayout
      title="Page views"
      lead="What is counted, by which source, and for how long it is kept."
      query={query}
    >
      {(settings) => (
        <>
          <SiteKeysCard {...cardProps} />
          {/* The key resets the form when creating a site key switches the source. */}
          <ViewCountingCard key={settings.humanSource} {...cardProps} settings={settings} />
        </>
      )}
    </SettingsPageLayout>
  )
}
