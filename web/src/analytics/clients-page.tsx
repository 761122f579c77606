import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { TryClient } from './classify-form.tsx'
import { ClientList } from './client-table.tsx'
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
    <AnalyticsFrame title="Clients" lead="Which assistants and crawlers read your pages, and how they are told apart.">
      <RangeBar />
      <Failure error={error} title="Readers could not be read" />
      {nothingMeasured ? (
        <NoViewsYet projectId={projectId} />
      ) : (
        <>
          <NotMeasured coverage={data?.coverage} projectId={projectId} />
          <Title order={2} size="h4" mb="sm">
            Who read
          </Title>
          {!(error && !data) && <ClientList found={data} isOld={isPlaceholderData} />}
        </>
      )}
      <TryClient projectId={projectId} />
      <HowClassified />
    </AnalyticsFrame>
  )
}
