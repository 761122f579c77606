import { Alert, Box, Divider, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../app/client.ts'
import { type MyProject, projectsQuery } from '../projects/project.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ChooseRepository } from './choose-repository.tsx'
import { stripUrlScheme } from './github-address.ts'
import { GithubAuthorizationButtons } from './github-authorization-buttons.tsx'
import { loadPendingAuthorization, type PendingAuthorization } from './pending-authorization.ts'

const page = getRouteApi('/signed-in/github/installed')

/** GitHub redirects here after an installation of the App or an authorization. */
export function InstalledPage() {
  const { projects } = useSuspenseQuery(projectsQuery).data
  const authorization = loadPendingAuthorization()
  const project = projects.find(({ id }) => id === authorization?.projectId)
  return (
    <Box maw={860}>
      <PageHeader
        title="Choose a repository"
        lead={
          project && authorization && `For the project ${project.name}, on ${stripUrlScheme(authorization.baseUrl)}.`
        }
      />
      {authorization && project ? <Callback authorization={authorization} project={project} /> : <NoProject />}
    </Box>
  )
}

function Callback({ authorization, project }: { authorization: PendingAuthorization; project: MyProject }) {
  const { code, state, setup_action, error } = page.useSearch()
  if (setup_action === 'request')
    return (
      <Stack>
        <Alert color="yellow" title="Waiting for approval">
          GitHub asked the owners of the organization to approve the App. After they approve it, open the repository
          settings of the project and select “Already installed? Choose a repository”.
        </Alert>
        <SettingsLink project={project} />
      </Stack>
    )
  if (error !== undefined)
    return (
      <Retry authorization={authorization} project={project}>
        <Alert color="red" title="GitHub did not authorize you" role="alert">
          {error === 'access_denied'
            ? 'Colophon needs your authorization to find out which repositories you can push to.'
            : `GitHub reported: ${error}`}
        </Alert>
      </Retry>
    )
  // This happens when the repositories of an installed App were changed.
  if (code === undefined || state === undefined)
    return (
      <SettingsCard
        title="One more step"
        lead="GitHub did not send an authorization. Authorize Colophon on GitHub to choose the repository."
      >
        <GithubAuthorizationButtons authorization={authorization} button="choose" link="install" />
      </SettingsCard>
    )
  return <Choose authorization={authorization} project={project} callback={{ code, state }} />
}

function Choose({
  authorization,
  project,
  callback,
}: {
  authorization: PendingAuthorization
  project: MyProject
  callback: { code: string; state: string }
}) {
  const navigate = useNavigate()
  const { data, error } = useQuery({
    queryKey: ['github-authorization', callback.state],
    queryFn: () => client.github.completeAuthorization(project.id, callback),
    // The code works once. A second request with it would fail.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  if (error)
    return (
      <Retry authorization={authorization} project={project}>
        <ErrorAlert error={error} title="Your repositories could not be loaded" />
      </Retry>
    )
  if (!data) return <Loader aria-label="Loading your repositories from GitHub" />
  if (data.repositories.length === 0)
    return (
      <SettingsCard
        title="No repositories that you can push to"
        lead="The App is not installed on any repository that your account can push to. Install it on one, or ask someone who can push to connect it."
      >
        <GithubAuthorizationButtons authorization={authorization} button="install" link="choose" />
      </SettingsCard>
    )
  return (
    <SettingsCard title="Repository" lead="Repositories with the App installed that you can push to.">
      <ChooseRepository
        projectId={project.id}
        authorizationId={data.authorizationId}
        repositories={data.repositories}
        onConnected={() =>
          void navigate({ to: '/projects/$projectId/settings/repository', params: { projectId: project.id } })
        }
      />
      <Divider />
      <Text size="sm">Don't see your repository?</Text>
      <GithubAuthorizationButtons authorization={authorization} link="install" />
    </SettingsCard>
  )
}

function Retry({
  authorization,
  project,
  children,
}: {
  authorization: PendingAuthorization
  project: MyProject
  children: ReactNode
}) {
  return (
    <Stack>
      {children}
      <Text size="sm">A code from GitHub works once and expires after a few minutes. Go to GitHub again:</Text>
      <GithubAuthorizationButtons authorization={authorization} button="choose" link="install" />
      <SettingsLink project={project} />
    </Stack>
  )
}

const SettingsLink = ({ project }: { project: MyProject }) => (
  <Group>
    <AnchorLink to="/projects/$projectId/settings/repository" params={{ projectId: project.id }} size="sm">
      Repository settings for {project.name}
    </AnchorLink>
  </Group>
)

const NoProject = () => (
  <EmptyState title="No project selected" action={<AnchorLink to="/">Go to your projects</AnchorLink>}>
    You did not start from a project in this tab. Open the project, go to Settings → Repository, and choose the
    repository there. The App is already installed.
  </EmptyState>
)
