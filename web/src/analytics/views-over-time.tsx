/** Views over time, as a chart or as a table. */
import { Box, Button, Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { formatCount } from './format-numbers.ts'
import { isBeforeMeasurement, type MeasuredSince } from './measured-since.ts'
import { formatDayRange, formatIntervalStart } from './period.ts'
import { measuredSinceQuery, type ViewSeries } from './queries.ts'

const SeriesChart = lazy(async () => ({ default: (await import('./series-chart.tsx')).SeriesChart }))

const heightPx = 260

export function ViewsOverTime({
  projectId,
  series,
  isStale,
}: {
  projectId: string
  series: ViewSeries | undefined
  isStale: boolean
}) {
  const { data: since } = useQuery({ ...measuredSinceQuery(projectId), enabled: series !== undefined })
  const [isTable, setTable] = useState(false)
  return (
    <Paper withBorder p="md" mb="lg" aria-busy={series === undefined || isStale}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Views over time
        </Title>
        <Button variant="subtle" size="compact-sm" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </Group>
      <Box style={{ opacity: isStale ? 0.5 : 1, transition: 'opacity 150ms' }}>
        {series === undefined ? (
          <Skeleton h={heightPx} />
        ) : isTable ? (
          <SeriesTable series={series} since={since} />
        ) : (
          <Suspense fallback={<Skeleton h={heightPx} />}>
            <SeriesChart series={series} since={since} heightPx={heightPx} />
          </Suspense>
        )}
        {series && since && <MeasuredSinceNote series={series} since={since} />}
      </Box>
    </Paper>
  )
}

function MeasuredSinceNote({
  series: { points, coverage, period },
  since,
}: {
  series: ViewSeries
  since: MeasuredSince
}) {
  const [first] = points
  const late = (['human', 'ai'] as const).flatMap((traffic) => {
    const day = since[traffic]
    if (!first || day === undefined || coverage[traffic] === 'not_measured') return []
    return isBeforeMeasurement(first.at, period.interval, day) ? [{ traffic, day }] : []
  })
  if (late.length === 0) return null
  const notes = late.map(
    ({ traffic, day }) =>
      `${traffic === 'human' ? 'Human' : 'AI'} views have been measured since ${formatDayRange([day, day])}`,
  )
  return (
    <Text size="xs" mt="xs">
      {notes.join('. ')}.
    </Text>
  )
}

function SeriesTable({
  series: { points, coverage, period },
  since,
}: {
  series: ViewSeries
  since: MeasuredSince | undefined
}) {
  const cell = (traffic: 'human' | 'ai', at: string, count: number) =>
    coverage[traffic] === 'not_measured' || isBeforeMeasurement(at, period.interval, since?.[traffic])
      ? 'Not measured'
      : formatCount(count)
  return (
    <Table.ScrollContainer minWidth={280} mah={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table stickyHeader className="numbers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{{ hour: 'Hour', day: 'Day', week: 'Week of', month: 'Month' }[period.interval]}</Table.Th>
            <Table.Th ta="right">Human</Table.Th>
            <Table.Th ta="right">AI</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[...points].reverse().map(({ at, human, ai }) => (
            <Table.Tr key={at}>
              <Table.Td>{formatIntervalStart(at, period)}</Table.Td>
              <Table.Td ta="right">{cell('human', at, human)}</Table.Td>
              <Table.Td ta="right">{cell('ai', at, ai)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
