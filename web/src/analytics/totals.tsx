/** Human, AI and total views of a period, compared with the previous period. */
import type { ViewsResult } from '@colophon/sdk'
import { Box, Group, Paper, Skeleton, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { AnchorLink } from '../shown/links.tsx'
import { type Coverage, describeCountChange, formatCount, formatPercent } from './format-numbers.ts'
import { findFirstFullyMeasuredDay } from './measured-since.ts'
import { formatDayRange, type Period } from './period.ts'
import { measuredSinceQuery } from './queries.ts'
import type { CalendarDay } from './zoned-days.ts'

type Counts = Pick<ViewsResult, 'totals' | 'coverage'>

interface TotalCount {
  name: string
  color: string | undefined
  count: number
  previousCount: number | undefined
  coverage: Coverage
  previousCoverage: Coverage
  since: CalendarDay | undefined
  share: string | undefined
}

export function Totals({
  current,
  previous,
  period,
  projectId,
}: {
  current: Counts | undefined
  previous: Counts | undefined
  period: Period
  projectId: string
}) {
  const { data: since } = useQuery({ ...measuredSinceQuery(projectId), enabled: current !== undefined })
  if (!current) {
    return (
      <Box className="totals" mb="lg" aria-busy>
        {['Human', 'AI', 'Total'].map((name) => (
          <Skeleton key={name} h={116} />
        ))}
      </Box>
    )
  }
  const { totals, coverage } = current
  const countOf = (name: string, key: 'human' | 'ai', color: string): TotalCount => ({
    name,
    color,
    count: totals[key],
    previousCount: previous?.totals[key],
    coverage: coverage[key],
    previousCoverage: previous?.coverage[key] ?? 'not_measured',
    since: since?.[key],
    share:
      coverage.human === 'measured' && coverage.ai === 'measured'
        ? formatPercent(totals[key], totals.total)
        : undefined,
  })
  const totalCoverage = (counts: Counts | undefined): Coverage =>
    counts?.coverage.human === 'measured' && counts.coverage.ai === 'measured' ? 'measured' : 'not_measured'
  const total: TotalCount = {
    name: 'Total',
    color: undefined,
    count: totals.total,
    previousCount: previous?.totals.total,
    share: undefined,
    coverage: totalCoverage(current),
    previousCoverage: totalCoverage(previous),
    since: since && findFirstFullyMeasuredDay(since),
  }
  return (
    <Box className="totals" mb="lg">
      {[countOf('Human', 'human', 'var(--chart-human)'), countOf('AI', 'ai', 'var(--chart-ai)'), total].map((props) => (
        <Total key={props.name} {...props} period={period} projectId={projectId} />
      ))}
    </Box>
  )
}

function Total({
  name,
  color,
  count,
  previousCount,
  coverage,
  previousCoverage,
  since,
  share,
  period,
  projectId,
}: TotalCount & { period: Period; projectId: string }) {
  return (
    <Paper withBorder p="md">
      <Group gap={8}>
        {color !== undefined && (
          <span aria-hidden style={{ width: 10, height: 10, borderRadius: 2, background: color }} />
        )}
        <Text size="sm">{name}</Text>
        {share !== undefined && (
          <Text size="sm" ml="auto" className="numbers">
            {share}
          </Text>
        )}
      </Group>
      {coverage === 'measured' ? (
        <>
          <Text fz={30} fw={600} lh={1.25} className="numbers">
            {formatCount(count)}
          </Text>
          {previousCount !== undefined && (
            <Comparison
              count={count}
              previousCount={previousCount}
              previousCoverage={previousCoverage}
              since={since}
              period={period}
            />
          )}
        </>
      ) : (
        <>
          <Text fz={20} fw={600} lh={1.3} my={4}>
            Not measured
          </Text>
          <Text size="xs">
            {name === 'Total' ? (
              'Requires human and AI views.'
            ) : (
              <AnchorLink to="/projects/$projectId/analytics/sources" params={{ projectId }} size="xs">
                {name === 'AI' ? 'Report views from your servers' : 'Add the script, or let servers count human views'}
              </AnchorLink>
            )}
          </Text>
        </>
      )}
    </Paper>
  )
}

const icons = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconEqual, unknown: undefined }

function Comparison({
  count,
  previousCount,
  previousCoverage,
  since,
  period,
}: {
  count: number
  previousCount: number
  previousCoverage: Coverage
  since: CalendarDay | undefined
  period: Period
}) {
  // Only a part of the previous period was measured, so it cannot be compared.
  if (previousCoverage === 'measured' && since !== undefined && isAfterFirstDay(since, period.previous.dateFrom))
    return <Text size="xs">Measured since {formatDayRange([since, since])}. No earlier data to compare with.</Text>
  const { direction, text } = describeCountChange(count, previousCount, previousCoverage)
  const Icon = icons[direction]
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {Icon && <Icon size={16} aria-hidden style={{ flexShrink: 0 }} />}
      <Text size="xs" className="numbers">
        {text} {period.previousLabel}
        {direction !== 'unknown' && ` (${formatCount(previousCount)})`}
      </Text>
    </Group>
  )
}

const isAfterFirstDay = (day: CalendarDay, from: string) => Date.parse(day) > Date.parse(from) + 86_400_000
