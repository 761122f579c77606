import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { HowClassified } from './how-classified.tsx'
import { NoViewsYet } from './no-views-yet.tsx'
import { NotMeasured } from './not-measured.tsx'
import { readersQuery } from './queries.ts'
import { RangeBar } from './range-bar.tsx'
import { ReaderList } from './reader-list.tsx'
import { TryReader } from './try-reader.tsx'
import { useAnalytics } from './use-analytics.ts'

export function ReadersPage() {
  const { projectId, period } = useAnalytics()
  const { data, error, isPlaceholderData } = useQuery(readersQuery(projectId, { dates: period.dates }))
  const nothingMeasured = data?.coverage.human === 'not_measured' && data.coverage.ai === 'not_measured'
  return (
    <AnalyticsFrame title="Readers" lead="Which assistants and crawlers read your pages, and how they are told apart.">
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
          {!(error && !data) && <ReaderList found={data} isOld={isPlaceholderData} />}
        </>
      )}
      <TryReader projectId={projectId} />
      <HowClassified />
    </AnalyticsFrame>
  )
}
