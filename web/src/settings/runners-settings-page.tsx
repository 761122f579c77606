import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { DocsLink } from '../shown/docs-link.tsx'
import { CreateRunnerCard } from './create-runner-card.tsx'
import { runnersQuery } from './queries.ts'
import { RunnersCard } from './runners-card.tsx'
import { SettingsPageLayout } from './settings-page-layout.tsx'

export function RunnersSettingsPage() {
  const project = useProject()
  const canChange = canManage(project)
  const query = useQuery(runnersQuery(project.id))
  return (
    <SettingsPageLayout
      title="Runners"
      lead={
        <>
          Machines that run the agent, each turn in its own sandbox. A runner has no credentials except its own token.{' '}
          <DocsLink page="runners" inherit>
            How to install a runner
          </DocsLink>
        </>
      }
      query={query}
    >
      {({ runners }) => (
        <>
          <RunnersCard projectId={project.id} runners={runners} canChange={canChange} />
          {canChange && <CreateRunnerCard projectId={project.id} />}
        </>
      )}
    </SettingsPageLayout>
  )
}
