import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { DeleteProjectCard } from './delete-project-card.tsx'
import { InstructionsCard } from './instructions-card.tsx'
import { JobRetentionCard } from './job-retention-card.tsx'
import { PauseCard } from './pause-card.tsx'
import { ProjectNameCard } from './project-name-card.tsx'
import { projectSettingsQuery } from './queries.ts'
import { SettingsPageLayout } from './settings-page-layout.tsx'

export function AgentSettingsPage() {
  const project = useProject()
  const query = useQuery(projectSettingsQuery(project.id))
  const cardProps = { projectId: project.id, canChange: canManage(project) }
  return (
    <SettingsPageLayout
      title="Agent"
      lead="Project name, agent instructions, pause, job retention, export and deletion."
      query={query}
    >
      {(settings) => (
        <>
          <ProjectNameCard project={project} canChange={cardProps.canChange} />
          <InstructionsCard {...cardProps} settings={settings} />
          <PauseCard {...cardProps} settings={settings} />
          <JobRetentionCard {...cardProps} settings={settings} />
          {cardProps.canChange && <DeleteProjectCard project={project} />}
        </>
      )}
    </SettingsPageLayout>
  )
}
