import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnalyticsLayout } from './analytics-layout.tsx'
import { DroppedRequests } from './dropped-requests.tsx'
import { HowToSend } from './how-to-send.tsx'
import { LiveFeed } from './live-feed.tsx'
import { LogDrainsCard } from './log-drains-card.tsx'
import { sourcesQuery } from './queries.ts'
import { SourceCards } from './source-cards.tsx'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'

export function SourcesPage() {
  const { projectId } = useAnalyticsSearchParams()
  const { data, error } = useQuery(sourcesQuery(projectId))
  const isNew = data?.sources.length === 0
  return (
    <AnalyticsLayout title="Sources" lead="Where your page views come from, and how to add more sources.">
      <ErrorAlert error={error} title="The sources could not be loaded" />
      {data ? <SourceCards sources={data.sources} /> : !error && <Skeleton h={130} mb="lg" />}
      {isNew && <HowToSend projectId={projectId} />}
      <LiveFeed projectId={projectId} />
      {data && !isNew && <DroppedRequests dropped={data.dropped} />}
      <LogDrainsCard projectId={projectId} />
      {data && !isNew && <HowToSend projectId={projectId} />}
    </AnalyticsLayout>
  )
}
