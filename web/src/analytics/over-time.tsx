/** Views over time as a picture; the same numbers as a table are one click away. */
import { Box, Button, Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { isBefore, type MeasuredSince } from './measured-since.ts'
import { written } from './numbers.ts'
import { daysInWords, stepLabel } from './period.ts'
import { measuredSinceQuery, type Series } from './queries.ts'

const SeriesChart = lazy(async () => ({ default: (await import('./series-chart.tsx')).SeriesChart }))

const heightPx = 260

export function OverTime({
  projectId,
  series,
  isOld,
}: {
  projectId: string
  series: Series | undefined
  isOld: boolean
}) {
  const { data: since } = useQuery({ ...measuredSinceQuery(projectId), enabled: series !== undefined })
  const [asTable, setAsTable] = useState(false)
  return (
    <Paper withBorder p="md" mb="lg" aria-busy={series === undefined || isOld}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Over time
        </Title>
        <Button variant="subtle" size="compact-sm" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </Group>
      <Box style={{ opacity: isOld ? 0.5 : 1, transition: 'opacity 150ms' }}>
        {series === undefined ? (
          <Skeleton h={heightPx} />
        ) : asTable ? (
          <SeriesTable series={series} since={since} />
        ) : (
          <Suspense fallback={<Skeleton h={heightPx} />}>
            <SeriesChart series={series} since={since} heightPx={heightPx} />
          </Suspense>
        )}
        {series && since && <SinceWhen series={series} since={since} />}
      </Box>
    </Paper>
  )
}

function SinceWhen({ series: { points, coverage, period }, since }: { series: Series; since: MeasuredSince }) {
  const [first] = points
  const late = (['human', 'ai'] as const).flatMap((who) => {
    const day = since[who]
    if (!first || day === undefined || coverage[who] === 'not_measured') return []
    return isBefore(first.at, period.interval, day) ? [{ who, day }] : []
  })
  if (late.length === 0) return null
  const words = late.map(({ who, day }) => `${who === 'human' ? 'People' : 'AI'} since ${daysInWords([day, day])}`)
  return (
    <Text size="xs" mt="xs">
      Measured: {words.join(', ')}. Before that nobody looked.
    </Text>
  )
}

function SeriesTable({
  series: { points, coverage, period },
  since,
}: {
  series: Series
  since: MeasuredSince | undefined
}) {
  const cell = (who: 'human' | 'ai', at: string, count: number) =>
    coverage[who] === 'not_measured' || isBefore(at, period.interval, since?.[who]) ? 'not measured' : written(count)
  return (
    <Table.ScrollContainer minWidth={280} mah={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table stickyHeader className="numbers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{{ hour: 'Hour', day: 'Day', week: 'Week from', month: 'Month' }[period.interval]}</Table.Th>
            <Table.Th ta="right">People</Table.Th>
            <Table.Th ta="right">AI</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[...points].reverse().map(({ at, human, ai }) => (
            <Table.Tr key={at}>
              <Table.Td>{stepLabel(at, period)}</Table.Td>
              <Table.Td ta="right">{cell('human', at, human)}</Table.Td>
              <Table.Td ta="right">{cell('ai', at, ai)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
