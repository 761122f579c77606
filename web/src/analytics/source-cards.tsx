import type { ViewSources } from '@colophon/sdk'
import { Badge, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { RelativeTime } from '../shown/relative-time.tsx'
import { formatCount } from './format-numbers.ts'
import { sourceLabels, type ViewSourceName } from './source-labels.ts'

const names = Object.keys(sourceLabels) as ViewSourceName[]

export function SourceCards({ sources }: { sources: ViewSources['sources'] }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mb="lg">
      {names.map((name) => (
        <SourceCard key={name} name={name} activity={sources.find(({ source }) => source === name)} />
      ))}
    </SimpleGrid>
  )
}

function SourceCard({
  name,
  activity,
}: {
  name: ViewSourceName
  activity: ViewSources['sources'][number] | undefined
}) {
  const { name: label, description } = sourceLabels[name]
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {label}
        </Title>
        {activity ? (
          <Badge color="teal.9" variant="filled" tt="none">
            Receiving data
          </Badge>
        ) : (
          <Badge variant="default" tt="none">
            No data
          </Badge>
        )}
      </Group>
      <Text size="sm">{description}</Text>
      {activity && (
        <>
          <Text size="sm" mt="sm">
            Last event <RelativeTime at={activity.lastEventAt} />
          </Text>
          <Text size="sm" className="numbers">
            Last 24 hours: {formatCount(activity.countedLast24Hours)} counted,{' '}
            {formatCount(activity.droppedLast24Hours)} dropped
          </Text>
        </>
      )}
    </Paper>
  )
}
