import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { InstructionsCard } from './instructions-card.tsx'
import { NameCard } from './name-card.tsx'
import { PauseCard } from './pause-card.tsx'
import { projectSettingsQuery } from './queries.ts'
import { RetentionCard } from './retention-card.tsx'
import { SettingsPage } from './settings-page.tsx'

export function AgentSettingsPage() {
  const project = useProject()
  const query = useQuery(projectSettingsQuery(project.id))
  const cardProps = { projectId: project.id, canChange: canManage(project) }
  return (
    <SettingsPage title="Agent" lead="Project name, agent instructions, pause and job retention." query={query}>
      {(settings) => (
        <>
          <NameCard project={project} canChange={cardProps.canChange} />
          <InstructionsCard {...cardProps} settings={settings} />
          <PauseCard {...cardProps} settings={settings} />
          <RetentionCard {...cardProps} settings={settings} />
        </>
      )}
    </SettingsPage>
  )
}
