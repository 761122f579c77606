import { useQuery } from '@tanstack/react-query'
import { mayManage, useProject } from '../projects/project.ts'
import { MakeRunnerCard } from './make-runner-card.tsx'
import { runnersQuery } from './queries.ts'
import { RunnersCard } from './runners-card.tsx'
import { SettingsPage } from './settings-page.tsx'

export function RunnersSettingsPage() {
  const project = useProject()
  const canChange = mayManage(project)
  const query = useQuery(runnersQuery(project.id))
  return (
    <SettingsPage
      title="Runners"
      lead="Machines that the agent works on, each turn in a sandbox. A runner holds its token and nothing else."
      query={query}
    >
      {({ runners }) => (
        <>
          <RunnersCard projectId={project.id} runners={runners} canChange={canChange} />
          {canChange && <MakeRunnerCard projectId={project.id} />}
        </>
      )}
    </SettingsPage>
  )
}
