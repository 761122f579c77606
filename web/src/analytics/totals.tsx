/** The numbers of a range beside those of the range before it. */
import type { ViewsResult } from '@colophon/sdk'
import { Box, Group, Paper, Skeleton, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { AnchorLink } from '../shown/links.tsx'
import { bothSince } from './measured-since.ts'
import { changeOf, type Measured, percent, written } from './numbers.ts'
import { daysInWords, type Period } from './period.ts'
import { measuredSinceQuery } from './queries.ts'
import type { Day } from './zoned-days.ts'

type Counted = Pick<ViewsResult, 'totals' | 'coverage'>

interface Shown {
  name: string
  ink: string | undefined
  count: number
  before: number | undefined
  measured: Measured
  measuredBefore: Measured
  since: Day | undefined
  share: string | undefined
}

export function Totals({
  now,
  before,
  period,
  projectId,
}: {
  now: Counted | undefined
  before: Counted | undefined
  period: Period
  projectId: string
}) {
  const { data: since } = useQuery({ ...measuredSinceQuery(projectId), enabled: now !== undefined })
  if (!now) {
    return (
      <Box className="totals" mb="lg" aria-busy>
        {['People', 'AI', 'Together'].map((name) => (
          <Skeleton key={name} h={116} />
        ))}
      </Box>
    )
  }
  const { totals, coverage } = now
  const of = (name: string, key: 'human' | 'ai', ink: string): Shown => ({
    name,
    ink,
    count: totals[key],
    before: before?.totals[key],
    measured: coverage[key],
    measuredBefore: before?.coverage[key] ?? 'not_measured',
    since: since?.[key],
    share: coverage.human === 'measured' && coverage.ai === 'measured' ? percent(totals[key], totals.total) : undefined,
  })
  const bothMeasured = (of: Counted | undefined): Measured =>
    of?.coverage.human === 'measured' && of.coverage.ai === 'measured' ? 'measured' : 'not_measured'
  const together: Shown = {
    name: 'Together',
    ink: undefined,
    count: totals.total,
    before: before?.totals.total,
    share: undefined,
    measured: bothMeasured(now),
    measuredBefore: bothMeasured(before),
    since: since && bothSince(since),
  }
  return (
    <Box className="totals" mb="lg">
      {[of('People', 'human', 'var(--ink-people)'), of('AI', 'ai', 'var(--ink-ai)'), together].map((shown) => (
        <Total key={shown.name} {...shown} period={period} projectId={projectId} />
      ))}
    </Box>
  )
}

function Total({
  name,
  ink,
  count,
  before,
  measured,
  measuredBefore,
  since,
  share,
  period,
  projectId,
}: Shown & { period: Period; projectId: string }) {
  return (
    <Paper withBorder p="md">
      <Group gap={8}>
        {ink !== undefined && <span aria-hidden style={{ width: 10, height: 10, borderRadius: 2, background: ink }} />}
        <Text size="sm">{name}</Text>
        {share !== undefined && (
          <Text size="sm" ml="auto" className="numbers">
            {share}
          </Text>
        )}
      </Group>
      {measured === 'measured' ? (
        <>
          <Text fz={30} fw={600} lh={1.25} className="numbers">
            {written(count)}
          </Text>
          {before !== undefined && (
            <Comparison count={count} before={before} measuredBefore={measuredBefore} since={since} period={period} />
          )}
        </>
      ) : (
        <>
          <Text fz={20} fw={600} lh={1.3} my={4}>
            Not measured
          </Text>
          <Text size="xs">
            {name === 'Together' ? (
              'Needs both numbers.'
            ) : (
              <AnchorLink to="/projects/$projectId/analytics/sources" params={{ projectId }} size="xs">
                {name === 'AI' ? 'Let your server tell of views' : 'Add the script, or let servers count people'}
              </AnchorLink>
            )}
          </Text>
        </>
      )}
    </Paper>
  )
}

const signs = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconEqual, unknown: undefined }

function Comparison({
  count,
  before,
  measuredBefore,
  since,
  period,
}: {
  count: number
  before: number
  measuredBefore: Measured
  since: Day | undefined
  period: Period
}) {
  // Of the time before only a part was measured: that is nothing to compare with.
  if (measuredBefore === 'measured' && since !== undefined && isAfterFirstDay(since, period.before.dateFrom))
    return <Text size="xs">Measured only since {daysInWords([since, since])}: nothing to compare with yet</Text>
  const { direction, words } = changeOf(count, before, measuredBefore)
  const Sign = signs[direction]
  const length = `${period.lengthInWords} before`
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {Sign && <Sign size={16} aria-hidden style={{ flexShrink: 0 }} />}
      <Text size="xs" className="numbers">
        {direction === 'unknown'
          ? `Not measured in ${length}`
          : `${words} ${words.endsWith('as many') ? 'as' : 'than'} in ${length} (${written(before)})`}
      </Text>
    </Group>
  )
}

const isAfterFirstDay = (day: Day, from: string) => Date.parse(day) > Date.parse(from) + 86_400_000
