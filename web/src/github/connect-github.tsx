import type { GithubApp, Repository } from '@colophon/sdk'
import { Button, Divider, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../app/session.ts'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { ConnectWithGithubToken } from './connect-with-github-token.tsx'
import { stripUrlScheme } from './github-address.ts'
import { GithubAuthorizationButtons } from './github-authorization-buttons.tsx'
import { githubAppsQuery } from './queries.ts'

/** Connects through the GitHub App, or with a token to try it out. */
export function ConnectGithub({
  projectId,
  connected,
  onConnected,
}: {
  projectId: string
  connected: Repository | undefined
  onConnected: (() => void) | undefined
}) {
  const { data, error } = useQuery(githubAppsQuery)
  const [usesToken, setUsesToken] = useState(connected?.host === 'github' && connected.access === 'token')
  return (
    <Stack gap="lg">
      {!data && !error && <Skeleton height={90} role="status" aria-label="Loading" />}
      {!data && <ErrorAlert error={error} title="The GitHub App could not be loaded" />}
      {data?.apps.length === 0 && <NoApp projectId={projectId} />}
      {data?.apps.map((app) => (
        <UseApp key={app.baseUrl} app={app} projectId={projectId} />
      ))}
      <Divider label="or" />
      {usesToken ? (
        <ConnectWithGithubToken projectId={projectId} connected={connected} onConnected={onConnected} />
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            To try Colophon, you can use a token of your own for one repository. It expires, and Colophon acts on GitHub
            under your name.
          </Text>
          <Group>
            <Button variant="default" onClick={() => setUsesToken(true)}>
              Use a fine-grained token
            </Button>
          </Group>
        </Stack>
      )}
    </Stack>
  )
}

function UseApp({ app: { name, baseUrl }, projectId }: { app: GithubApp; projectId: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        <b>{name}</b> is the GitHub App of this instance on {stripUrlScheme(baseUrl)}. Install it on the account that
        owns the repository; GitHub lets you limit it to that repository. GitHub then sends you back to choose it.
      </Text>
      <GithubAuthorizationButtons authorization={{ projectId, baseUrl }} button="install" link="choose" />
    </Stack>
  )
}

function NoApp({ projectId }: { projectId: string }) {
  const { person } = useSession()
  if (!person?.isOperator)
    return (
      <Text size="sm">Ask an operator of this instance to create the GitHub App, or use a fine-grained token.</Text>
    )
  return (
    <Stack gap="sm">
      <Text size="sm">
        Colophon works on GitHub as a GitHub App. Create it once for all projects: GitHub asks you to confirm and
        redirects you back here. There is nothing to copy.{' '}
        <DocsLink page="github" inherit>
          Learn about GitHub Apps
        </DocsLink>
      </Text>
      <Group>
        {/* Reloads the document: only that page's content security policy allows a form that posts to another site. */}
        <ButtonLink to="/github/new-app" search={{ project: projectId }} reloadDocument>
          Create GitHub App
        </ButtonLink>
      </Group>
    </Stack>
  )
}
