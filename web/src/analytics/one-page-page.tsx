import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { ClientList } from './client-table.tsx'
import { NotMeasured } from './not-measured.tsx'
import { OverTime } from './over-time.tsx'
import { clientsQuery, seriesQuery, totalsQuery } from './queries.ts'
import { RangeBar } from './range-bar.tsx'
import { Totals } from './totals.tsx'
import { useAnalytics } from './use-analytics.ts'

export function OnePagePage() {
  const { projectId, search } = useAnalytics()
  const { path, ...kept } = search
  const back = (
    <AnchorLink to="/projects/$projectId/analytics" params={{ projectId }} search={kept} size="sm">
      ← All pages
    </AnchorLink>
  )
  if (path === undefined) {
    return (
      <AnalyticsFrame title="One page" lead="How one page is read.">
        <EmptyState title="Which page?" action={back}>
          Choose one from the list of pages.
        </EmptyState>
      </AnalyticsFrame>
    )
  }
  return (
    <AnalyticsFrame title={path} lead="How one page is read, and by whom.">
      <Text mb="sm">{back}</Text>
      <InDepth path={path} />
    </AnalyticsFrame>
  )
}

function InDepth({ path }: { path: string }) {
  const { projectId, search, period } = useAnalytics()
  const { ai } = search
  const totals = useQuery(totalsQuery(projectId, { dates: period.dates, ai, path }))
  const before = useQuery(totalsQuery(projectId, { dates: period.before, ai, path }))
  const series = useQuery(seriesQuery(projectId, { period, ai, path }))
  const readers = useQuery(clientsQuery(projectId, { dates: period.dates, path }))
  return (
    <>
      <RangeBar choosesAi />
      <Failure
        error={totals.error ?? series.error ?? readers.error ?? before.error}
        title="Not everything could be read"
      />
      <NotMeasured coverage={totals.data?.coverage} projectId={projectId} />
      <Totals now={totals.data} before={before.data} period={period} projectId={projectId} />
      <OverTime projectId={projectId} series={series.data} isOld={series.isPlaceholderData} />
      <Title order={2} size="h4" mb="sm">
        Who read it
      </Title>
      <ClientList found={readers.data} isOld={readers.isPlaceholderData} />
    </>
  )
}
