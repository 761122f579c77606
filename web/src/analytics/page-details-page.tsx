import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { ClientList } from './client-list.tsx'
import { NotMeasured } from './not-measured.tsx'
import { clientsQuery, seriesQuery, totalsQuery } from './queries.ts'
import { RangeBar } from './range-bar.tsx'
import { Totals } from './totals.tsx'
import { useAnalytics } from './use-analytics.ts'
import { ViewsOverTime } from './views-over-time.tsx'

export function PageDetailsPage() {
  const { projectId, search } = useAnalytics()
  const { path, ...otherSearch } = search
  const back = (
    <AnchorLink to="/projects/$projectId/analytics" params={{ projectId }} search={otherSearch} size="sm">
      ← All pages
    </AnchorLink>
  )
  if (path === undefined) {
    return (
      <AnalyticsFrame title="Page" lead="Views of one page.">
        <EmptyState title="No page selected" action={back}>
          Choose a page from the list.
        </EmptyState>
      </AnalyticsFrame>
    )
  }
  return (
    <AnalyticsFrame title={path} lead="Views of one page by humans and AI.">
      <Text mb="sm">{back}</Text>
      <PageDetails path={path} />
    </AnalyticsFrame>
  )
}

function PageDetails({ path }: { path: string }) {
  const { projectId, search, period } = useAnalytics()
  const { ai } = search
  const totals = useQuery(totalsQuery(projectId, { dates: period.dates, ai, path }))
  const previous = useQuery(totalsQuery(projectId, { dates: period.previous, ai, path }))
  const series = useQuery(seriesQuery(projectId, { period, ai, path }))
  const clients = useQuery(clientsQuery(projectId, { dates: period.dates, path }))
  return (
    <>
      <RangeBar hasAiSwitch />
      <Failure
        error={totals.error ?? series.error ?? clients.error ?? previous.error}
        title="Some data could not be loaded"
      />
      <NotMeasured coverage={totals.data?.coverage} projectId={projectId} />
      <Totals current={totals.data} previous={previous.data} period={period} projectId={projectId} />
      <ViewsOverTime projectId={projectId} series={series.data} isStale={series.isPlaceholderData} />
      <Title order={2} size="h4" mb="sm">
        Clients
      </Title>
      <ClientList result={clients.data} isStale={clients.isPlaceholderData} />
    </>
  )
}
