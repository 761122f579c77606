import { useQuery } from '@tanstack/react-query'
import { mayManage, useProject } from '../projects/project.ts'
import { InstructionsCard } from './instructions-card.tsx'
import { NameCard } from './name-card.tsx'
import { PauseCard } from './pause-card.tsx'
import { projectSettingsQuery } from './queries.ts'
import { RetentionCard } from './retention-card.tsx'
import { SettingsPage } from './settings-page.tsx'

export function AgentSettingsPage() {
  const project = useProject()
  const query = useQuery(projectSettingsQuery(project.id))
  const shown = { projectId: project.id, canChange: mayManage(project) }
  return (
    <SettingsPage
      title="Agent"
      lead="The project's name, what the agent is told, and whether it works at all."
      query={query}
    >
      {(settings) => (
        <>
          <NameCard project={project} canChange={shown.canChange} />
          <InstructionsCard {...shown} settings={settings} />
          <PauseCard {...shown} settings={settings} />
          <RetentionCard {...shown} settings={settings} />
        </>
      )}
    </SettingsPage>
  )
}
