import type { ProjectHealth } from '@colophon/sdk'
import { Badge, Divider, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { useProject } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { describeComponent } from '../status/component-labels.ts'
import { formatBytes, toProgressBarPercent } from './format-amounts.ts'
import { healthQuery } from './queries.ts'
import { RunnerStateBadge } from './runner-state-badge.tsx'
import { SettingsCard } from './settings-card.tsx'
import { SettingsPageLayout } from './settings-page-layout.tsx'

export function HealthSettingsPage() {
  const project = useProject()
  const query = useQuery(healthQuery(project.id))
  return (
    <SettingsPageLayout
      title="Health"
      lead="Services and runners that this project depends on. Updated every 5 seconds."
      query={query}
    >
      {(health) => (
        <>
          <ErrorAlert error={query.error} title="Health could not be updated. This is the last known state" />
          <Components components={health.components} />
          <Runners projectId={project.id} runners={health.runners} />
          <Buffer buffer={health.viewBuffer} />
          <Versions versions={health.versions} />
        </>
      )}
    </SettingsPageLayout>
  )
}

function Components({ components }: Pick<ProjectHealth, 'components'>) {
  return (
    <SettingsCard title="Services">
      {Object.entries(components).map(([name, report], index) => {
        const { title, purpose, impact } = describeComponent(name)
        return (
          <Fragment key={name}>
            {index > 0 && <Divider />}
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Stack gap={0} maw={560}>
                <Text fw={600}>{title}</Text>
                <Text size="sm" c="dimmed">
                  {report.status === 'ok' ? purpose : impact}
                </Text>
              </Stack>
              <Badge variant="light" miw="fit-content" color={report.status === 'ok' ? 'green' : 'red'} tt="none">
                {report.status === 'ok' ? `OK · ${report.latencyMs} ms` : report.reason.replaceAll('_', ' ')}
              </Badge>
            </Group>
          </Fragment>
        )
      })}
    </SettingsCard>
  )
}

function Runners({ projectId, runners }: Pick<ProjectHealth, 'runners'> & { projectId: string }) {
  return (
    <SettingsCard title="Runners">
      {runners.length === 0 && (
        <Text size="sm">
          No runners yet, so jobs stay queued.{' '}
          <AnchorLink to="/projects/$projectId/settings/runners" params={{ projectId }} inherit>
            Create a runner
          </AnchorLink>
          .
        </Text>
      )}
      {runners.map((runner) => (
        <Group key={runner.id} justify="space-between" gap="sm">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {runner.name}
            {runner.isShared && ' (shared)'}
          </Text>
          <RunnerStateBadge runner={runner} />
        </Group>
      ))}
    </SettingsCard>
  )
}

function Buffer({ buffer: { bytes, limitBytes, oldestWaitingAt } }: { buffer: ProjectHealth['viewBuffer'] }) {
  const usedPercent = toProgressBarPercent(bytes, limitBytes)
  return (
    <SettingsCard title="View buffer" lead="Page views of all projects that are accepted but not counted yet.">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Text size="sm">
            {oldestWaitingAt === null ? (
              'Empty'
            ) : (
              <>
                Oldest view received <RelativeTime at={oldestWaitingAt} />
              </>
            )}
          </Text>
          <Text size="sm" fw={600}>
            {formatBytes(bytes)} of {formatBytes(limitBytes)}
          </Text>
        </Group>
        <Progress value={usedPercent} color={usedPercent >= 80 ? 'red' : 'teal'} size="md" aria-label="Buffer usage" />
      </Stack>
    </SettingsCard>
  )
}

function Versions({ versions: { colophon, schema } }: Pick<ProjectHealth, 'versions'>) {
  return (
    <SettingsCard title="Versions">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <div>
          <Text size="sm" c="dimmed">
            Colophon
          </Text>
          <Text>{colophon}</Text>
        </div>
        <div>
          <Text size="sm" c="dimmed">
            Database schema
          </Text>
          <Text style={{ overflowWrap: 'anywhere' }}>{schema ?? 'unknown'}</Text>
        </div>
      </SimpleGrid>
    </SettingsCard>
  )
}
