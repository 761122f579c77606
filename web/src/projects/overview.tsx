import { SimpleGrid } from '@mantine/core'
import { LastJobs } from './last-jobs.tsx'
import { WeekOfViews } from './week-of-views.tsx'

/** What goes on in a project, at one look. */
export const Overview = ({ projectId }: { projectId: string }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
    <LastJobs projectId={projectId} />
    <WeekOfViews projectId={projectId} />
  </SimpleGrid>
)
