import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnalyticsFilterBar } from './analytics-filter-bar.tsx'
import { AnalyticsLayout } from './analytics-layout.tsx'
import { ClassifyForm } from './classify-form.tsx'
import { ClientList } from './client-list.tsx'
import { HowClassified } from './how-classified.tsx'
import { NoViewsYet } from './no-views-yet.tsx'
import { NotMeasuredAlert } from './not-measured-alert.tsx'
import { clientsQuery } from './queries.ts'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'

export function ClientsPage() {
  const { projectId, period } = useAnalyticsSearchParams()
  const { data, error, isPlaceholderData } = useQuery(clientsQuery(projectId, { dates: period.dates }))
  const nothingMeasured = data?.coverage.human === 'not_measured' && data.coverage.ai === 'not_measured'
  return (
    <AnalyticsLayout title="Clients" lead="Which AI clients and crawlers read your pages, and how they are recognized.">
      <AnalyticsFilterBar />
      <ErrorAlert error={error} title="The clients could not be loaded" />
      {nothingMeasured ? (
        <NoViewsYet projectId={projectId} />
      ) : (
        <>
          <NotMeasuredAlert coverage={data?.coverage} projectId={projectId} />
          <Title order={2} size="h4" mb="sm">
            Views by client
          </Title>
          {!(error && !data) && <ClientList result={data} isStale={isPlaceholderData} />}
        </>
      )}
      <ClassifyForm projectId={projectId} />
      <HowClassified />
    </AnalyticsLayout>
  )
}
