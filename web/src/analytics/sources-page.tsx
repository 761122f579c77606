import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { AnalyticsFrame } from './analytics-frame.tsx'
import { Drops } from './drops.tsx'
import { HowToSend } from './how-to-send.tsx'
import { LiveFeed } from './live-feed.tsx'
import { sourcesQuery } from './queries.ts'
import { SourceCards } from './source-cards.tsx'
import { useAnalytics } from './use-analytics.ts'

export function SourcesPage() {
  const { projectId } = useAnalytics()
  const { data, error } = useQuery(sourcesQuery(projectId))
  const isNew = data?.sources.length === 0
  return (
    <AnalyticsFrame title="Sources" lead="Where your page views come from, and how to add more sources.">
      <Failure error={error} title="The sources could not be loaded" />
      {data ? <SourceCards sources={data.sources} /> : !error && <Skeleton h={130} mb="lg" />}
      {isNew && <HowToSend projectId={projectId} />}
      <LiveFeed projectId={projectId} />
      {data && !isNew && <Drops dropped={data.dropped} />}
      {data && !isNew && <HowToSend projectId={projectId} />}
    </AnalyticsFrame>
  )
}
