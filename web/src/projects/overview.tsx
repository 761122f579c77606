import { SimpleGrid } from '@mantine/core'
import { RecentJobs } from './recent-jobs.tsx'
import { WeekOfViews } from './week-of-views.tsx'

/** Recent activity of a project. */
export const Overview = ({ projectId }: { projectId: string }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
    <RecentJobs projectId={projectId} />
    <WeekOfViews projectId={projectId} />
  </SimpleGrid>
)
