import type { ViewsTimeseries } from '@colophon/sdk'
import { Group, Paper, Skeleton, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { isBeforeMeasurement, type MeasuredSince } from '../analytics/measured-since.ts'
import { measuredSinceQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import styles from './week-of-views.module.css'

const days = 7

const weekQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['week-of-views', projectId],
    queryFn: ({ signal }) => {
      const dateFrom = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
      return client.views.timeseries(projectId, { dateFrom, interval: 'day' }, { signal })
    },
    refetchInterval: 30_000,
  })

export function WeekOfViews({ projectId }: { projectId: string }) {
  const { data, error, isPending } = useQuery(weekQuery(projectId))
  const { data: since } = useQuery(measuredSinceQuery(projectId))
  return (
    <Paper withBorder radius="md" p="lg" component="section" aria-labelledby="week-of-views">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="week-of-views">
          Page views, last 7 days
        </Title>
        <AnchorLink to="/projects/$projectId/analytics" params={{ projectId }} size="sm">
          Analytics
        </AnchorLink>
      </Group>
      <ErrorAlert error={error} />
      {isPending && <Skeleton h={160} />}
      {data && <Week {...data} since={since} />}
    </Paper>
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

function Week({ points, coverage, since }: ViewsTimeseries & { since: MeasuredSince | undefined }) {
  const countOrNotMeasured = (kind: 'human' | 'ai', at: string, count: number) =>
    coverage[kind] === 'not_measured' || isBeforeMeasurement(at, 'day', since?.[kind]) ? 'not measured' : count
  const highest = Math.max(1, ...points.map(({ total }) => total))
  return (
    <>
      <Group gap="xl" mb="md">
        <Total name="Human" kind="human" coverage={coverage.human} count={sum(points.map(({ human }) => human))} />
        <Total name="AI" kind="ai" coverage={coverage.ai} count={sum(points.map(({ ai }) => ai))} />
      </Group>
      <ol className={styles.bars}>
        {points.map(({ at, human, ai, total }) => {
          const day = new Date(at).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' })
          return (
            <li
              key={at}
              aria-label={`${day}: human ${countOrNotMeasured('human', at, human)}, AI ${countOrNotMeasured('ai', at, ai)}`}
            >
              <span className={styles.bar} style={{ height: `${(100 * total) / highest}%` }} aria-hidden="true">
                <span data-kind="ai" style={{ flexGrow: ai }} />
                <span data-kind="human" style={{ flexGrow: human }} />
              </span>
              <span className={styles.day} aria-hidden="true">
                {day}
              </span>
            </li>
          )
        })}
      </ol>
    </>
  )
}

interface TotalProps {
  name: string
  kind: 'human' | 'ai'
  coverage: 'measured' | 'not_measured'
  count: number
}

const Total = ({ name, kind, coverage, count }: TotalProps) => (
  <div>
    <Text size="sm" c="dimmed" className={styles.name} data-kind={kind}>
      {name}
    </Text>
    {coverage === 'measured' ? (
      <Text fz={28} lh={1.2} ff="heading">
        {count.toLocaleString('en')}
      </Text>
    ) : (
      <Text lh={2.1}>not measured</Text>
    )}
  </div>
)
