import type { GithubApp, Repository } from '@colophon/sdk'
import { Button, Divider, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../app/session.ts'
import { Failure } from '../shown/failure.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { hostOf } from './github-address.ts'
import { GithubToken } from './github-token.tsx'
import { githubAppsQuery } from './queries.ts'
import { VisitGithub } from './visit-github.tsx'

/** Through the App where there is one, or will be; with a token for a first try. */
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
  const [isByToken, setIsByToken] = useState(connected?.host === 'github' && connected.access === 'token')
  return (
    <Stack gap="lg">
      {!data && !error && <Skeleton height={90} aria-label="Loading" />}
      {!data && <Failure error={error} title="The GitHub App cannot be looked at right now" />}
      {data?.apps.length === 0 && <NoApp projectId={projectId} />}
      {data?.apps.map((app) => (
        <ThroughApp key={app.baseUrl} app={app} projectId={projectId} />
      ))}
      <Divider label="or" />
      {isByToken ? (
        <GithubToken projectId={projectId} connected={connected} onConnected={onConnected} />
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            For a first try: a token of your own, for one repository. It ends on a day, and what Colophon does on GitHub
            stands under your name.
          </Text>
          <Group>
            <Button variant="default" onClick={() => setIsByToken(true)}>
              Use a fine-grained token
            </Button>
          </Group>
        </Stack>
      )}
    </Stack>
  )
}

function ThroughApp({ app: { name, baseUrl }, projectId }: { app: GithubApp; projectId: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        <b>{name}</b> is the App of this Colophon on {hostOf(baseUrl)}. Install it on whoever owns the repository;
        GitHub lets you give it that repository alone. Then you are back here to choose it.
      </Text>
      <VisitGithub visit={{ projectId, baseUrl }} button="install" link="choose" />
    </Stack>
  )
}

function NoApp({ projectId }: { projectId: string }) {
  const { person } = useSession()
  if (!person?.isOperator)
    return <Text size="sm">Ask whoever runs this Colophon to create the GitHub App, or use a fine-grained token.</Text>
  return (
    <Stack gap="sm">
      <Text size="sm">
        Colophon works on GitHub as an App of its own. Create it once for all projects: GitHub asks you to confirm and
        leads back here, and there is nothing to copy.
      </Text>
      <Group>
        {/* A page load: only that page may send a form to another site. */}
        <ButtonLink to="/github/new-app" search={{ project: projectId }} reloadDocument>
          Create the GitHub App
        </ButtonLink>
      </Group>
    </Stack>
  )
}
