import type { GithubApp } from '@colophon/sdk'
import { Alert, Button, Group, List, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { SettingsCard } from '../settings/settings-card.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { githubCom, hostOf } from './github-address.ts'
import { githubAppsQuery } from './queries.ts'
import { rememberVisit } from './way-back.ts'

const page = getRouteApi('/signed-in/github/new-app')

export function NewAppPage() {
  const { person } = useSession()
  const query = useQuery(githubAppsQuery)
  return (
    <SettingsPage title="Create the GitHub App" lead="Once for this Colophon; all its projects use it." query={query}>
      {({ apps, baseUrls }) =>
        person?.isOperator ? (
          <NewApp apps={apps} baseUrls={baseUrls} />
        ) : (
          <EmptyState title="This is for whoever runs this Colophon">
            Ask them to create the GitHub App. Until then a repository can be connected with a fine-grained token.
          </EmptyState>
        )
      }
    </SettingsPage>
  )
}

function NewApp({ apps, baseUrls }: { apps: GithubApp[]; baseUrls: string[] }) {
  const { project } = page.useSearch()
  const fresh = useFreshSession()
  const [baseUrl, setBaseUrl] = useState(baseUrls[0] ?? githubCom)
  const [organization, setOrganization] = useState('')
  const replaced = apps.find((app) => app.baseUrl === baseUrl)
  const leave = useMutation({
    mutationFn: async () => {
      const owner = organization.trim()
      const { action, manifest } = await fresh(() =>
        client.github.startApp({ baseUrl, ...(owner !== '' && { organization: owner }) }),
      )
      if (project !== undefined) rememberVisit({ projectId: project, baseUrl })
      sendForm(action, { manifest })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    leave.mutate()
  }
  return (
    <SettingsCard title="What happens">
      <List size="sm" type="ordered" spacing={4}>
        <List.Item>GitHub shows you an App with everything filled in, and asks you to create it.</List.Item>
        <List.Item>
          It leads back here, and Colophon takes the App's keys over, sealed. There is nothing to copy.
        </List.Item>
        <List.Item>
          You install the App where your docs are. It may write to those repositories and open pull requests on them; it
          can never change their workflows or settings.
        </List.Item>
      </List>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Radio.Group
            label="Which GitHub"
            description="Whoever runs the server names a company's own in COLOPHON_GITHUB_URLS"
            value={baseUrl}
            onChange={setBaseUrl}
          >
            <Stack gap="xs" mt="xs">
              {baseUrls.map((url) => (
                <Radio key={url} value={url} label={hostOf(url)} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label="Organization"
            description="The one that owns the docs, if you own it: the App can be installed there and nowhere else. Empty: your own account"
            placeholder="Your own account"
            value={organization}
            onChange={(event) => setOrganization(event.currentTarget.value)}
            maw={480}
          />
          {replaced && (
            <Alert color="yellow" title={`${replaced.name} is there already`}>
              Another one takes its place, and repositories that are connected through it have to be connected again.
            </Alert>
          )}
          <Failure error={leave.error} />
          <Group>
            <Button type="submit" loading={leave.isPending || leave.isSuccess}>
              Go on to GitHub
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  )
}

/** GitHub takes an App's manifest from a form alone, and answers with a page of its own. */
function sendForm(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  document.body.append(form)
  form.submit()
}
