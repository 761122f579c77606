import type { GithubApp } from '@colophon/sdk'
import { Alert, Button, Group, List, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { SettingsCard } from '../settings/settings-card.tsx'
import { SettingsPageLayout } from '../settings/settings-page-layout.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { githubComUrl, stripUrlScheme } from './github-address.ts'
import { savePendingAuthorization } from './pending-authorization.ts'
import { githubAppsQuery } from './queries.ts'

const page = getRouteApi('/signed-in/github/new-app')

export function NewAppPage() {
  const { person } = useSession()
  const query = useQuery(githubAppsQuery)
  return (
    <SettingsPageLayout title="Create a GitHub App" lead="All projects of this instance share it." query={query}>
      {({ apps, baseUrls }) =>
        person?.isOperator ? (
          <NewApp apps={apps} baseUrls={baseUrls} />
        ) : (
          <EmptyState title="Only an operator can create the GitHub App">
            Ask an operator of this instance. Until then, you can connect a repository with a fine-grained token.
          </EmptyState>
        )
      }
    </SettingsPageLayout>
  )
}

function NewApp({ apps, baseUrls }: { apps: GithubApp[]; baseUrls: string[] }) {
  const { project } = page.useSearch()
  const withReauthentication = useReauthentication()
  const [baseUrl, setBaseUrl] = useState(baseUrls[0] ?? githubComUrl)
  const [organization, setOrganization] = useState('')
  const replaced = apps.find((app) => app.baseUrl === baseUrl)
  const start = useMutation({
    mutationFn: async () => {
      const owner = organization.trim()
      const { action, manifest } = await withReauthentication(() =>
        client.github.startApp({ baseUrl, ...(owner !== '' && { organization: owner }) }),
      )
      if (project !== undefined) savePendingAuthorization({ projectId: project, baseUrl })
      submitForm(action, { manifest })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  return (
    <SettingsCard title="How it works">
      <List size="sm" type="ordered" spacing={4}>
        <List.Item>GitHub shows you a prefilled App and asks you to create it.</List.Item>
        <List.Item>
          GitHub redirects you back here, and Colophon stores the App's credentials encrypted. There is nothing to copy.
        </List.Item>
        <List.Item>
          You install the App on your docs repositories. It can push to them and open pull requests; it can never change
          their workflows or settings.
        </List.Item>
      </List>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Radio.Group
            label="GitHub server"
            description="To add a GitHub Enterprise Server, set COLOPHON_GITHUB_URLS on the server"
            value={baseUrl}
            onChange={setBaseUrl}
          >
            <Stack gap="xs" mt="xs">
              {baseUrls.map((url) => (
                <Radio key={url} value={url} label={stripUrlScheme(url)} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label="Organization"
            description="The organization that owns your docs; you must be one of its owners. The App can be installed only there. Leave empty to use your own account"
            placeholder="Your own account"
            value={organization}
            onChange={(event) => setOrganization(event.currentTarget.value)}
            maw={480}
          />
          {replaced && (
            <Alert color="yellow" title={`${replaced.name} already exists`}>
              The new App replaces it. Repositories that are connected through it have to be connected again.
            </Alert>
          )}
          <ErrorAlert error={start.error} />
          <Group>
            <Button type="submit" loading={start.isPending || start.isSuccess}>
              Continue to GitHub
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  )
}

/** GitHub accepts an App manifest only from a form, and responds with a page of its own. */
function submitForm(action: string, fields: Readonly<Record<string, string>>): void {
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
