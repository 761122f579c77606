import { useQuery } from '@tanstack/react-query'
import { viewSettingsQuery } from '../analytics/queries.ts'
import { mayManage, useProject } from '../projects/project.ts'
import { CountingCard } from './counting-card.tsx'
import { SettingsPage } from './settings-page.tsx'
import { SiteKeysCard } from './site-keys-card.tsx'

export function ViewsSettingsPage() {
  const project = useProject()
  const query = useQuery(viewSettingsQuery(project.id))
  const shown = { projectId: project.id, canChange: mayManage(project) }
  return (
    <SettingsPage title="Page views" lead="Who counts which readers, and how long that is kept." query={query}>
      {(settings) => (
        <>
          <SiteKeysCard {...shown} />
          <CountingCard {...shown} settings={settings} />
        </>
      )}
    </SettingsPage>
  )
}
