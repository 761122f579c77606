import { useQuery } from '@tanstack/react-query'
import { viewSettingsQuery } from '../analytics/queries.ts'
import { canManage, useProject } from '../projects/project.ts'
import { CountingCard } from './counting-card.tsx'
import { SettingsPage } from './settings-page.tsx'
import { SiteKeysCard } from './site-keys-card.tsx'

export function ViewsSettingsPage() {
  const project = useProject()
  const query = useQuery(viewSettingsQuery(project.id))
  const cardProps = { projectId: project.id, canChange: canManage(project) }
  return (
    <SettingsPage
      title="Page views"
      lead="What is counted, by which source, and for how long it is kept."
      query={query}
    >
      {(settings) => (
        <>
          <SiteKeysCard {...cardProps} />
          {/* The key resets the form when creating a site key switches the source. */}
          <CountingCard key={settings.humanSource} {...cardProps} settings={settings} />
        </>
      )}
    </SettingsPage>
  )
}
