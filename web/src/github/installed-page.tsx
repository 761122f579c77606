import { Alert, Box, Divider, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../app/client.ts'
import { type ProjectOfMine, projectsQuery } from '../projects/project.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ChooseRepository } from './choose-repository.tsx'
import { hostOf } from './github-address.ts'
import { VisitGithub } from './visit-github.tsx'
import { rememberedVisit, type Visit } from './way-back.ts'

const page = getRouteApi('/signed-in/github/installed')

/** Where GitHub sends whoever installed the App, or let Colophon see what they may write to. */
export function InstalledPage() {
  const { projects } = useSuspenseQuery(projectsQuery).data
  const visit = rememberedVisit()
  const project = projects.find(({ id }) => id === visit?.projectId)
  return (
    <Box maw={860}>
      <PageHeader
        title="Choose a repository"
        lead={project && visit && `For the project ${project.name}, on ${hostOf(visit.baseUrl)}.`}
      />
      {visit && project ? <Arrived visit={visit} project={project} /> : <FromNowhere />}
    </Box>
  )
}

function Arrived({ visit, project }: { visit: Visit; project: ProjectOfMine }) {
  const { code, state, setup_action, error } = page.useSearch()
  if (setup_action === 'request')
    return (
      <Stack>
        <Alert color="yellow" title="An owner of the organization has to approve">
          GitHub has asked them to install the App. Once they have, choose the repository in the settings of the
          project, where it says that the App is installed already.
        </Alert>
        <ToSettings project={project} />
      </Stack>
    )
  if (error !== undefined)
    return (
      <Again visit={visit} project={project}>
        <Alert color="red" title="GitHub did not say who you are" role="alert">
          {error === 'access_denied'
            ? 'You did not let Colophon see what you may write to, so it cannot tell which repositories are yours to connect.'
            : `It says ${error}.`}
        </Alert>
      </Again>
    )
  // So it is when the repositories of an App that is installed already were changed.
  if (code === undefined || state === undefined)
    return (
      <SettingsCard
        title="One more step"
        lead="GitHub did not say who you are this time. Let it, and choose the repository then."
      >
        <VisitGithub visit={visit} button="choose" link="install" />
      </SettingsCard>
    )
  return <Choose visit={visit} project={project} brought={{ code, state }} />
}

function Choose({
  visit,
  project,
  brought,
}: {
  visit: Visit
  project: ProjectOfMine
  brought: { code: string; state: string }
}) {
  const navigate = useNavigate()
  const { data, error } = useQuery({
    queryKey: ['github-visit', brought.state],
    queryFn: () => client.github.completeAuthorization(project.id, brought),
    // What was brought is good once: asked again it would be refused.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  if (error)
    return (
      <Again visit={visit} project={project}>
        <Failure error={error} title="Your repositories cannot be shown" />
      </Again>
    )
  if (!data) return <Loader aria-label="Asking GitHub which repositories you may write to" />
  if (data.repositories.length === 0)
    return (
      <SettingsCard
        title="None that you may write to"
        lead="The App is installed on no repository that your account can push to. Install it on one, or ask somebody who may push to connect it."
      >
        <VisitGithub visit={visit} button="install" link="choose" />
      </SettingsCard>
    )
  return (
    <SettingsCard title="Repository" lead="Those with the App on them that you may write to.">
      <ChooseRepository
        projectId={project.id}
        authorizationId={data.authorizationId}
        repositories={data.repositories}
        onConnected={() =>
          void navigate({ to: '/projects/$projectId/settings/repository', params: { projectId: project.id } })
        }
      />
      <Divider />
      <Text size="sm">Is the one that you look for not among them?</Text>
      <VisitGithub visit={visit} link="install" />
    </SettingsCard>
  )
}

function Again({ visit, project, children }: { visit: Visit; project: ProjectOfMine; children: ReactNode }) {
  return (
    <Stack>
      {children}
      <Text size="sm">What GitHub sends along is good once, and for some minutes. Go there again:</Text>
      <VisitGithub visit={visit} button="choose" link="install" />
      <ToSettings project={project} />
    </Stack>
  )
}

const ToSettings = ({ project }: { project: ProjectOfMine }) => (
  <Group>
    <AnchorLink to="/projects/$projectId/settings/repository" params={{ projectId: project.id }} size="sm">
      Repository settings of {project.name}
    </AnchorLink>
  </Group>
)

const FromNowhere = () => (
  <EmptyState title="For which project?" action={<AnchorLink to="/">Go to your projects</AnchorLink>}>
    You did not come from a project in this tab. Open the one that it is for, then Settings, Repository, and choose the
    repository there: the App is installed already.
  </EmptyState>
)
