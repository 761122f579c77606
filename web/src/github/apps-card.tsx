import { Divider, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { SettingsCard } from '../settings/settings-card.tsx'
import { Ago } from '../shown/ago.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { WebLink } from '../shown/web-link.tsx'
import { hostOf } from './github-address.ts'
import { githubAppsQuery } from './queries.ts'

/** For those who run the installation: what it is on GitHub. Where there is nothing yet, connecting a repository says so. */
export function AppsCard({ projectId }: { projectId: string }) {
  const apps = useQuery(githubAppsQuery).data?.apps ?? []
  if (apps.length === 0) return null
  return (
    <SettingsCard title="GitHub Apps" lead="Of this installation: every project connects through them.">
      {apps.map(({ baseUrl, name, url, hasWebhook, createdAt }, index) => (
        <Fragment key={baseUrl}>
          {index > 0 && <Divider />}
          <Group justify="space-between" gap="sm">
            <Stack gap={0}>
              <Text fw={600}>{name}</Text>
              <Text size="sm" c="dimmed">
                On {hostOf(baseUrl)} · created <Ago at={createdAt} />
              </Text>
              {!hasWebhook && (
                <Text size="sm" c="dimmed">
                  Without a webhook: GitHub is asked every few minutes
                </Text>
              )}
            </Stack>
            <WebLink href={url} size="sm">
              Its page on GitHub
            </WebLink>
          </Group>
        </Fragment>
      ))}
      <Group>
        <ButtonLink to="/github/new-app" search={{ project: projectId }} variant="default" reloadDocument>
          Create another
        </ButtonLink>
      </Group>
    </SettingsCard>
  )
}
