import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { NoViewsYet } from './no-views-yet.tsx'
import { NotMeasured } from './not-measured.tsx'
import { OverTime } from './over-time.tsx'
import { pagesQuery, seriesQuery, totalsQuery } from './queries.ts'
import { RangeBar } from './range-bar.tsx'
import { TopPages } from './top-pages.tsx'
import { Totals } from './totals.tsx'
import { useAnalytics } from './use-analytics.ts'

/**
 * The totals and the most read pages first, by themselves: on a small machine the other questions, asked at the same time, made
 * them wait (1.7 s instead of 1.5 with 10 M views, tried on a busy one). Each part is shown as soon as its answer is there.
 */
export function AnalyticsPage() {
  const { projectId, search, period } = useAnalytics()
  const { ai, q, list } = search
  // The first page of the list has the totals with it: mostly these two are one question.
  const first = useQuery(pagesQuery(projectId, { dates: period.dates, ai }))
  const pages = useQuery(pagesQuery(projectId, { dates: period.dates, ai, q, list }))
  const enabled = first.isFetched
  const before = useQuery({ ...totalsQuery(projectId, { dates: period.before, ai }), enabled })
  const series = useQuery({ ...seriesQuery(projectId, { period, ai }), enabled })
  const coverage = first.data?.coverage
  const nothingMeasured = coverage?.human === 'not_measured' && coverage.ai === 'not_measured'
  const error = first.error ?? pages.error ?? series.error ?? before.error
  return (
    <AnalyticsFrame title="Analytics" lead="Which pages are read, and by whom: people, or AI.">
      <RangeBar choosesAi />
      {error && <Failure error={error} title="Not everything could be read" />}
      {nothingMeasured ? (
        <NoViewsYet projectId={projectId} />
      ) : (
        <>
          <NotMeasured coverage={coverage} projectId={projectId} />
          <Totals now={first.data} before={before.data} period={period} projectId={projectId} />
          <OverTime projectId={projectId} series={series.data} isOld={series.isPlaceholderData} />
          <TopPages pages={pages.data} isOld={pages.isPlaceholderData} />
        </>
      )}
    </AnalyticsFrame>
  )
}
