import { Divider, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { SettingsCard } from '../settings/settings-card.tsx'
import { ExternalLink } from '../shown/external-link.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { stripUrlScheme } from './github-address.ts'
import { githubAppsQuery } from './queries.ts'

/** For operators: the GitHub Apps of this instance. Hidden while there is none; connecting a repository then offers to create one. */
export function AppsCard({ projectId }: { projectId: string }) {
  const apps = useQuery(githubAppsQuery).data?.apps ?? []
  if (apps.length === 0) return null
  return (
    <SettingsCard title="GitHub Apps" lead="Shared by all projects of this instance.">
      {apps.map(({ baseUrl, name, url, hasWebhook, createdAt }, index) => (
        <Fragment key={baseUrl}>
          {index > 0 && <Divider />}
          <Group justify="space-between" gap="sm">
            <Stack gap={0}>
              <Text fw={600}>{name}</Text>
              <Text size="sm" c="dimmed">
                On {stripUrlScheme(baseUrl)} · created <RelativeTime at={createdAt} />
              </Text>
              {!hasWebhook && (
                <Text size="sm" c="dimmed">
                  No webhook: Colophon polls GitHub every few minutes
                </Text>
              )}
            </Stack>
            <ExternalLink href={url} size="sm">
              View on GitHub
            </ExternalLink>
          </Group>
        </Fragment>
      ))}
      <Group>
        <ButtonLink to="/github/new-app" search={{ project: projectId }} variant="default" reloadDocument>
          Create another App
        </ButtonLink>
      </Group>
    </SettingsCard>
  )
}
