import { Button, Center, Skeleton, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { canEdit, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ButtonLink } from '../shown/links.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { JobFilterBar } from './job-filters.tsx'
import { type JobFilters, jobsQuery } from './job-queries.ts'
import { JobRows } from './job-rows.tsx'

const route = getRouteApi('/signed-in/projects/$projectId/jobs')

export function JobsPage() {
  const project = useProject()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const isFiltered = Object.keys(filters).length > 0
  const query = useInfiniteQuery({ ...jobsQuery(project.id, filters), placeholderData: keepPreviousData })
  const jobs = query.data?.pages.flatMap((page) => page.jobs) ?? []
  const isEmpty = query.isSuccess && jobs.length === 0 && !isFiltered
  const show = (search: JobFilters) => void navigate({ search, replace: true })

  const newJob = (
    <ButtonLink
      to="/projects/$projectId/jobs/new"
      params={{ projectId: project.id }}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New job
    </ButtonLink>
  )
  return (
    <>
      <PageHeader title="Jobs" lead="Tasks for the agent, and the pull requests that it opened.">
        {canEdit(project) && !isEmpty && newJob}
      </PageHeader>
      {(isFiltered || jobs.length > 0) && <JobFilterBar filters={filters} onChange={show} />}
      <ErrorAlert error={query.error} title="The jobs could not be loaded" />
      {query.isPending && !query.error && <LoadingRows />}
      {query.isSuccess && jobs.length === 0 && isFiltered && (
        <EmptyState
          title="No matching jobs"
          action={
            <Button variant="default" mt="sm" onClick={() => show({})}>
              Clear filters
            </Button>
          }
        >
          Jobs are found by title, ID and the beginning of the prompt.
        </EmptyState>
      )}
      {isEmpty && (
        <EmptyState title="No jobs yet" action={canEdit(project) && newJob}>
          {canEdit(project)
            ? 'Describe what to change in your docs. The agent works on a copy of the repository and opens a pull request for you to review.'
            : 'Jobs that editors and owners of the project create appear here.'}
        </EmptyState>
      )}
      {jobs.length > 0 && <JobRows projectId={project.id} jobs={jobs} />}
      {query.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </Center>
      )}
    </>
  )
}

function LoadingRows() {
  return (
    <Stack gap="xs" aria-label="Loading jobs" role="status">
      {[0, 1, 2, 3].map((row) => (
        <Skeleton key={row} height={44} />
      ))}
    </Stack>
  )
}
