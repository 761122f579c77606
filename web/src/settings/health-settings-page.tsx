import type { ProjectHealth } from '@colophon/sdk'
import { Badge, Divider, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { useProject } from '../projects/project.ts'
import { Ago } from '../shown/ago.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { bytesInWords, shareOf } from './amounts.ts'
import { componentLabels } from './component-labels.ts'
import { healthQuery } from './queries.ts'
import { RunnerState } from './runner-state.tsx'
import { SettingsCard } from './settings-card.tsx'
import { SettingsPage } from './settings-page.tsx'

export function HealthSettingsPage() {
  const project = useProject()
  const query = useQuery(healthQuery(project.id))
  return (
    <SettingsPage title="Health" lead="What this project depends on, looked at every few seconds." query={query}>
      {(health) => (
        <>
          <Failure error={query.error} title="This is how it was; it cannot be looked at right now" />
          <Components components={health.components} />
          <Runners projectId={project.id} runners={health.runners} />
          <Buffer buffer={health.viewBuffer} />
          <Versions versions={health.versions} />
        </>
      )}
    </SettingsPage>
  )
}

function Components({ components }: Pick<ProjectHealth, 'components'>) {
  return (
    <SettingsCard title="Services">
      {Object.entries(components).map(([name, report], index) => {
        const { title, does, without } = componentLabels(name)
        return (
          <Fragment key={name}>
            {index > 0 && <Divider />}
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Stack gap={0} maw={560}>
                <Text fw={600}>{title}</Text>
                <Text size="sm" c="dimmed">
                  {report.status === 'ok' ? does : without}
                </Text>
              </Stack>
              <Badge variant="light" miw="fit-content" color={report.status === 'ok' ? 'green' : 'red'} tt="none">
                {report.status === 'ok' ? `Works · ${report.latencyMs} ms` : report.reason.replaceAll('_', ' ')}
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
          There are none: jobs wait.{' '}
          <AnchorLink to="/projects/$projectId/settings/runners" params={{ projectId }} inherit>
            Make a runner
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
          <RunnerState runner={runner} />
        </Group>
      ))}
    </SettingsCard>
  )
}

function Buffer({ buffer: { bytes, limitBytes, oldestWaitingAt } }: { buffer: ProjectHealth['viewBuffer'] }) {
  const share = shareOf(bytes, limitBytes)
  return (
    <SettingsCard title="Views on their way" lead="Views of all projects that were taken and are not counted yet.">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Text size="sm">
            {oldestWaitingAt === null ? (
              'Nothing waits'
            ) : (
              <>
                The oldest came <Ago at={oldestWaitingAt} />
              </>
            )}
          </Text>
          <Text size="sm" fw={600}>
            {bytesInWords(bytes)} of {bytesInWords(limitBytes)}
          </Text>
        </Group>
        <Progress
          value={share}
          color={share >= 80 ? 'red' : 'teal'}
          size="md"
          aria-label="Share of the buffer in use"
        />
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
            Tables
          </Text>
          <Text style={{ overflowWrap: 'anywhere' }}>{schema ?? 'not known'}</Text>
        </div>
      </SimpleGrid>
    </SettingsCard>
  )
}
