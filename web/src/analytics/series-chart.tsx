import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { isBefore, type MeasuredSince } from './measured-since.ts'
import { shortly, written } from './numbers.ts'
import { daysInWords, stepLabel } from './period.ts'
import type { Series } from './queries.ts'

/** Only what was measured is drawn: no bar would look like nobody. */
export function SeriesChart({
  series: { points, coverage, period },
  since,
  heightPx,
}: {
  series: Series
  since: MeasuredSince | undefined
  heightPx: number
}) {
  const drawn = [
    coverage.human === 'measured' && { name: 'human', label: 'People', color: 'var(--ink-people)' },
    coverage.ai === 'measured' && { name: 'ai', label: 'AI', color: 'var(--ink-ai)' },
  ].filter((one) => one !== false)
  const words = drawn.map(({ label }) => label).join(' and ')
  return (
    <div role="img" aria-label={`${words} over time, ${daysInWords(period.days)}: the table has the numbers.`}>
      <BarChart
        h={heightPx}
        data={points.map(({ at, human, ai }) => ({
          step: stepLabel(at, period),
          human: isBefore(at, period.interval, since?.human) ? null : human,
          ai: isBefore(at, period.interval, since?.ai) ? null : ai,
        }))}
        dataKey="step"
        type="stacked"
        series={drawn}
        withLegend
        legendProps={{ verticalAlign: 'bottom' }}
        gridAxis="x"
        tickLine="none"
        strokeDasharray="2 4"
        valueFormatter={written}
        barProps={{ isAnimationActive: false }}
        yAxisProps={{ tickFormatter: shortly, width: 44, allowDecimals: false }}
        xAxisProps={{ minTickGap: 24 }}
      />
    </div>
  )
}
