import { useQuery } from '@tanstack/react-query'
import { useSession } from '../app/session.ts'
import { AppsCard } from '../github/apps-card.tsx'
import { mayManage, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { ConnectRepository } from './connect-repository.tsx'
import { ConnectedCard } from './connected-card.tsx'
import { PublishingCard } from './publishing-card.tsx'
import { repositoryQuery } from './queries.ts'
import { SettingsCard } from './settings-card.tsx'
import { SettingsPage } from './settings-page.tsx'

export function RepositorySettingsPage() {
  const project = useProject()
  const canChange = mayManage(project)
  const { person } = useSession()
  const query = useQuery(repositoryQuery(project.id))
  return (
    <SettingsPage
      title="Repository"
      lead="Where the agent reads and writes, and how its pull requests look."
      query={query}
    >
      {({ repository }) => {
        const apps = person?.isOperator && <AppsCard projectId={project.id} />
        const shown = { projectId: project.id, canChange }
        if (repository) {
          const { owner, name, baseBranch, docsFolder } = repository
          return (
            <>
              <ConnectedCard
                key={JSON.stringify([repository.url, owner, name, baseBranch, docsFolder])} // its fields are of this one
                {...shown}
                repository={repository}
              />
              <PublishingCard {...shown} repository={repository} />
              {apps}
            </>
          )
        }
        if (!canChange)
          return (
            <EmptyState title="No repository yet">
              Jobs need one to work in. An owner of the project can connect it here.
            </EmptyState>
          )
        return (
          <>
            <SettingsCard
              title="Connect a repository"
              lead="Jobs begin with a clone of it and end as pull requests on it."
            >
              <ConnectRepository projectId={project.id} />
            </SettingsCard>
            {apps}
          </>
        )
      }}
    </SettingsPage>
  )
}
