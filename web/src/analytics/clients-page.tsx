import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { ClassifyForm } from './classify-form.tsx'
import { ClientList } from './client-list.tsx'
import { HowClassified } from './how-classified.tsx'
import { NoViewsYet } from './no-views-yet.tsx'
import { NotMeasured } from './not-measured.tsx'
import { clientsQuery } from './queries.ts'
import { RangeBar } from './range-bar.tsx'
import { useAnalytics } from './use-analytics.ts'

export function ClientsPage() {
  const { projectId, period } = useAnalytics()
  const { data, error, isPlaceholderData } = useQuery(clientsQuery(projectId, { dates: period.dates }))
  const nothingMeasured = data?.coverage.human === 'not_measured' && data.coverage.ai === 'not_measured'
  return (
    <AnalyticsFrame title="Clients" lead="Which AI clients and crawlers read your pages, and how they are recognized.">
      <RangeBar />
      <Failure error={error} title="The clients could not be loaded" />
      {nothingMeasured ? (
        <NoViewsYet projectId={projectId} />
      ) : (
        <>
          <NotMeasured coverage={data?.coverage} projectId={projectId} />
          <Title order={2} size="h4" mb="sm">
            Views by client
          </Title>
          {!(error && !data) && <ClientList result={data} isStale={isPlaceholderData} />}
        </>
      )}
      <ClassifyForm projectId={projectId} />
      <HowClassified />
    </AnalyticsFrame>
  )
}
