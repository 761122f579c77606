import { Box, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { client } from '../app/client.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { tellSaved } from '../settings/saved.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink, ButtonLink } from '../shown/links.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { githubAppsQuery } from './queries.ts'
import { rememberedVisit } from './way-back.ts'

const page = getRouteApi('/signed-in/github/app-made')

/** Where GitHub sends whoever created the App. */
export function AppMadePage() {
  const { code, state } = page.useSearch()
  return (
    <Box maw={860}>
      <PageHeader title="The GitHub App" />
      {code === undefined || state === undefined ? (
        <EmptyState
          title="GitHub leads back to this page"
          action={
            <ButtonLink to="/github/new-app" reloadDocument>
              Create the GitHub App
            </ButtonLink>
          }
        >
          It brought nothing along this time, so no App was taken over.
        </EmptyState>
      ) : (
        <TakeOver brought={{ code, state }} />
      )}
    </Box>
  )
}

function TakeOver({ brought }: { brought: { code: string; state: string } }) {
  const fresh = useFreshSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const projectId = rememberedVisit()?.projectId
  const { data: app, error } = useQuery({
    queryKey: ['github-app-made', brought.state],
    queryFn: () => fresh(() => client.github.completeApp(brought)),
    // What was brought is good once: asked again it would be refused, and the App is there.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  useEffect(() => {
    if (!app) return
    void queryClient.invalidateQueries({ queryKey: githubAppsQuery.queryKey })
    if (projectId === undefined) return
    tellSaved(`The App ${app.name} is there. Install it next.`)
    void navigate({ to: '/projects/$projectId/settings/repository', params: { projectId }, replace: true })
  }, [app, projectId, navigate, queryClient])
  if (error)
    return (
      <Stack>
        <Failure error={error} title="The App was not taken over" />
        <Text size="sm">
          Nothing of it is kept here. What GitHub has created stands there under Developer settings, GitHub Apps.
        </Text>
        <Group>
          <ButtonLink
            to="/github/new-app"
            search={projectId === undefined ? {} : { project: projectId }}
            reloadDocument
          >
            Create it again
          </ButtonLink>
        </Group>
      </Stack>
    )
  if (!app) return <Loader aria-label="Taking the App over" />
  return (
    <EmptyState title={`${app.name} is there`} action={<AnchorLink to="/">Go to your projects</AnchorLink>}>
      Next, a project's repository is connected through it: under Settings, Repository.
    </EmptyState>
  )
}
