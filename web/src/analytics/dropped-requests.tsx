import type { ViewSources } from '@colophon/sdk'
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { formatCompactCount, formatCount } from './format-numbers.ts'
import { dropReasonLabels, sourceLabels } from './source-labels.ts'

/** Requests that were not counted, by reason. Most of them are expected; the advice says which need action. */
export function DroppedRequests({ dropped }: { dropped: ViewSources['dropped'] }) {
  const largest = Math.max(1, ...dropped.map(({ last7Days }) => last7Days))
  return (
    <Paper withBorder p="md" mb="lg">
      <Title order={2} size="h4" mb="xs">
        Dropped requests
      </Title>
      {dropped.length === 0 ? (
        <Text size="sm">No requests were dropped in the last 7 days.</Text>
      ) : (
        <Stack gap="sm">
          {dropped.map(({ source, reason, last24Hours, last7Days }) => (
            <div key={`${source} ${reason}`}>
              <Group justify="space-between" align="baseline" gap="0 md">
                <Text size="sm">
                  <Text span fw={600} inherit>
                    {dropReasonLabels[reason].label}
                  </Text>{' '}
                  · {sourceLabels[source].name}
                </Text>
                <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }} title={formatCount(last7Days)}>
                  {formatCompactCount(last7Days)} in 7 days · {formatCompactCount(last24Hours)} in 24 h
                </Text>
              </Group>
              <div className="client-bar" aria-hidden>
                <span style={{ width: `${(last7Days / largest) * 100}%`, background: 'var(--chart-other)' }} />
              </div>
              <Text size="xs">{dropReasonLabels[reason].advice}</Text>
            </div>
          ))}
        </Stack>
      )}
    </Paper>
  )
}
