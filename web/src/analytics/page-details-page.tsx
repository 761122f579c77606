import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { AnalyticsFilterBar } from './analytics-filter-bar.tsx'
import { AnalyticsLayout } from './analytics-layout.tsx'
import { ClientList } from './client-list.tsx'
import { NotMeasuredAlert } from './not-measured-alert.tsx'
import { clientsQuery, totalsQuery, viewSeriesQuery } from './queries.ts'
import { Totals } from './totals.tsx'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'
import { ViewsOverTime } from './views-over-time.tsx'

export function PageDetailsPage() {
  const { projectId, search } = useAnalyticsSearchParams()
  const { path, ...otherSearch } = search
  const back = (
    <AnchorLink to="/projects/$projectId/analytics" params={{ projectId }} search={otherSearch} size="sm">
      ← All pages
    </AnchorLink>
  )
  if (path === undefined) {
    return (
      <AnalyticsLayout title="Page" lead="Views of one page.">
        <EmptyState title="No page selected" action={back}>
          Choose a page from the list.
        </EmptyState>
      </AnalyticsLayout>
    )
  }
  return (
    <AnalyticsLayout title={path} lead="Views of one page by humans and AI.">
      <Text mb="sm">{back}</Text>
      <PageDetails path={path} />
    </AnalyticsLayout>
  )
}

function PageDetails({ path }: { path: string }) {
  const { projectId, search, period } = useAnalyticsSearchParams()
  const { ai } = search
  const totals = useQuery(totalsQuery(projectId, { dates: period.dates, ai, path }))
  const previous = useQuery(totalsQuery(projectId, { dates: period.previous, ai, path }))
  const series = useQuery(viewSeriesQuery(projectId, { period, ai, path }))
  const clients = useQuery(clientsQuery(projectId, { dates: period.dates, path }))
  return (
    <>
      <AnalyticsFilterBar hasAiSwitch />
      <ErrorAlert
        error={totals.error ?? series.error ?? clients.error ?? previous.error}
        title="Some data could not be loaded"
      />
      <NotMeasuredAlert coverage={totals.data?.coverage} projectId={projectId} />
      <Totals current={totals.data} previous={previous.data} period={period} projectId={projectId} />
      <ViewsOverTime projectId={projectId} series={series.data} isStale={series.isPlaceholderData} />
      <Title order={2} size="h4" mb="sm">
        Clients
      </Title>
      <ClientList result={clients.data} isStale={clients.isPlaceholderData} />
    </>
  )
}
