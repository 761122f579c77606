import { useQuery } from '@tanstack/react-query'
import { useSession } from '../app/session.ts'
import { AppsCard } from '../github/apps-card.tsx'
import { canManage, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { ConnectRepository } from './connect-repository.tsx'
import { ConnectedRepositoryCard } from './connected-repository-card.tsx'
import { PublishingRulesCard } from './publishing-rules-card.tsx'
import { toEditableRules } from './publishing-rules-form.ts'
import { PullRequestsCard } from './pull-requests-card.tsx'
import { repositoryQuery } from './queries.ts'
import { SettingsCard } from './settings-card.tsx'
import { SettingsPageLayout } from './settings-page-layout.tsx'
import { SiteCard } from './site-card.tsx'

export function RepositorySettingsPage() {
  const project = useProject()
  const canChange = canManage(project)
  const { person } = useSession()
  const query = useQuery(repositoryQuery(project.id))
  return (
    <SettingsPageLayout
      title="Repository"
      lead="Where the agent works, what it may change, and how it opens pull requests."
      query={query}
    >
      {({ repository }) => {
        const apps = person?.isOperator && <AppsCard projectId={project.id} />
        const cardProps = { projectId: project.id, canChange }
        if (repository) {
          const { owner, name, baseBranch, docsFolder } = repository
          return (
            <>
              <ConnectedRepositoryCard
                key={JSON.stringify([repository.url, owner, name, baseBranch, docsFolder])} // resets the form when the repository changes
                {...cardProps}
                repository={repository}
              />
              <SiteCard {...cardProps} repository={repository} />
              <PublishingRulesCard
                key={JSON.stringify([repository.url, owner, name, toEditableRules(repository.rules)])} // shows the saved rules
                {...cardProps}
                rules={repository.rules}
              />
              <PullRequestsCard {...cardProps} repository={repository} />
              {apps}
            </>
          )
        }
        if (!canChange)
          return (
            <EmptyState title="No repository yet">
              Jobs need a repository. An owner of the project can connect one here.
            </EmptyState>
          )
        return (
          <>
            <SettingsCard
              title="Connect a repository"
              lead="Jobs start with a clone of it and end with a pull request."
            >
              <ConnectRepository projectId={project.id} />
            </SettingsCard>
            {apps}
          </>
        )
      }}
    </SettingsPageLayout>
  )
}
