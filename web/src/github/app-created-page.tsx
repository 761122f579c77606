import { Box, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { notifySaved } from '../settings/notify-saved.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink, ButtonLink } from '../shown/links.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { loadPendingAuthorization } from './pending-authorization.ts'
import { githubAppsQuery } from './queries.ts'

const page = getRouteApi('/signed-in/github/app-created')

/** GitHub redirects here after the App was created. */
export function AppCreatedPage() {
  const { code, state } = page.useSearch()
  return (
    <Box maw={860}>
      <PageHeader title="GitHub App" />
      {code === undefined || state === undefined ? (
        <EmptyState
          title="There is no App to set up"
          action={
            <ButtonLink to="/github/new-app" reloadDocument>
              Create GitHub App
            </ButtonLink>
          }
        >
          GitHub redirects to this page after it creates an App. This time it sent no code, so nothing was set up.
        </EmptyState>
      ) : (
        <SetUpApp callback={{ code, state }} />
      )}
    </Box>
  )
}

function SetUpApp({ callback }: { callback: { code: string; state: string } }) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const projectId = loadPendingAuthorization()?.projectId
  const { data: app, error } = useQuery({
    queryKey: ['github-app-created', callback.state],
    queryFn: () => withReauthentication(() => client.github.completeApp(callback)),
    // The code works once. A second request with it would fail although the App exists.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  useEffect(() => {
    if (!app) return
    void queryClient.invalidateQueries({ queryKey: githubAppsQuery.queryKey })
    if (projectId === undefined) return
    notifySaved(`The App ${app.name} is ready. Install it next.`)
    void navigate({ to: '/projects/$projectId/settings/repository', params: { projectId }, replace: true })
  }, [app, projectId, navigate, queryClient])
  if (error)
    return (
      <Stack>
        <ErrorAlert error={error} title="The App was not set up" />
        <Text size="sm">
          Colophon stored nothing. If GitHub created the App, it is listed there under Developer settings → GitHub Apps.
        </Text>
        <Group>
          <ButtonLink
            to="/github/new-app"
            search={projectId === undefined ? {} : { project: projectId }}
            reloadDocument
          >
            Try again
          </ButtonLink>
        </Group>
      </Stack>
    )
  if (!app) return <Loader aria-label="Setting up the App" />
  return (
    <EmptyState title={`${app.name} is ready`} action={<AnchorLink to="/">Go to your projects</AnchorLink>}>
      Next, open a project and connect its repository under Settings → Repository.
    </EmptyState>
  )
}
