import { useQueries } from '@tanstack/react-query'
import { useSession } from '../app/session.ts'
import { modelsQuery } from '../jobs/job-queries.ts'
import { canEdit, canManage, useProject } from '../projects/project.ts'
import { BudgetCard } from './budget-card.tsx'
import { InstanceModelsCard } from './instance-models-card.tsx'
import { ProjectModelsCard } from './project-models-card.tsx'
import { projectSettingsQuery } from './queries.ts'
import { SettingsPageLayout } from './settings-page-layout.tsx'

export function ModelsSettingsPage() {
  const project = useProject()
  const { person } = useSession()
  const isOperator = person?.isOperator ?? false
  const query = useQueries({
    queries: [projectSettingsQuery(project.id), modelsQuery(project.id)],
    combine: ([settings, models]) => ({
      data: settings.data && models.data && { settings: settings.data, models: models.data.models },
      error: settings.error ?? models.error,
    }),
  })
  const canChange = canManage(project)
  return (
    <SettingsPageLayout title="Models" lead="Which model the agent uses, and how much it can spend." query={query}>
      {({ settings, models }) => (
        <>
          <ProjectModelsCard
            projectId={project.id}
            settings={settings}
            models={models}
            canChange={canChange}
            canTest={canEdit(project)}
            isOperator={isOperator}
          />
          <BudgetCard projectId={project.id} settings={settings} canChange={canChange} />
          {isOperator && <InstanceModelsCard />}
        </>
      )}
    </SettingsPageLayout>
  )
}
