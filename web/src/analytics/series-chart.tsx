import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { formatCompactCount, formatCount } from './format-numbers.ts'
import { isBeforeMeasurement, type MeasuredSince } from './measured-since.ts'
import { formatDayRange, formatIntervalStart } from './period.ts'
import type { ViewSeries } from './queries.ts'

/** Omits what was not measured: an empty bar would look like no views. */
export function SeriesChart({
  series: { points, coverage, period },
  since,
  heightPx,
}: {
  series: ViewSeries
  since: MeasuredSince | undefined
  heightPx: number
}) {
  const measuredSeries = [
    coverage.human === 'measured' && { name: 'human', label: 'Human', color: 'var(--chart-human)' },
    coverage.ai === 'measured' && { name: 'ai', label: 'AI', color: 'var(--chart-ai)' },
  ].filter((series) => series !== false)
  const names = measuredSeries.map(({ label }) => label).join(' and ')
  return (
    <div
      role="img"
      aria-label={`${names} views over time, ${formatDayRange(period.days)}. The same data is available as a table.`}
    >
      <BarChart
        h={heightPx}
        data={points.map(({ at, human, ai }) => ({
          interval: formatIntervalStart(at, period),
          human: isBeforeMeasurement(at, period.interval, since?.human) ? null : human,
          ai: isBeforeMeasurement(at, period.interval, since?.ai) ? null : ai,
        }))}
        dataKey="interval"
        type="stacked"
        series={measuredSeries}
        withLegend
        legendProps={{ verticalAlign: 'bottom' }}
        gridAxis="x"
        tickLine="none"
        strokeDasharray="2 4"
        valueFormatter={formatCount}
        barProps={{ isAnimationActive: false }}
        yAxisProps={{ tickFormatter: formatCompactCount, width: 44, allowDecimals: false }}
        xAxisProps={{ minTickGap: 24 }}
      />
    </div>
  )
}
