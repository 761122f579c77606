import { Button, Center, Skeleton, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { mayWork, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
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
  const found = useInfiniteQuery({ ...jobsQuery(project.id, filters), placeholderData: keepPreviousData })
  const jobs = found.data?.pages.flatMap((page) => page.jobs) ?? []
  const isEmpty = found.isSuccess && jobs.length === 0 && !isFiltered
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
      <PageHeader title="Jobs" lead="Instructions for the agent, and the pull requests that came of them.">
        {mayWork(project) && !isEmpty && newJob}
      </PageHeader>
      {(isFiltered || jobs.length > 0) && <JobFilterBar filters={filters} onChange={show} />}
      <Failure error={found.error} title="The jobs could not be loaded" />
      {found.isPending && !found.error && <LoadingRows />}
      {found.isSuccess && jobs.length === 0 && isFiltered && (
        <EmptyState
          title="No job is like that"
          action={
            <Button variant="default" mt="sm" onClick={() => show({})}>
              Clear filters
            </Button>
          }
        >
          Search looks in titles, ids and the beginning of prompts.
        </EmptyState>
      )}
      {isEmpty && (
        <EmptyState title="No job yet" action={mayWork(project) && newJob}>
          {mayWork(project)
            ? 'Tell the agent in a sentence what to change in your docs. It works in a copy of the repository and opens a pull request that you review like any other.'
            : 'Editors and owners of the project can create jobs; they appear here.'}
        </EmptyState>
      )}
      {jobs.length > 0 && <JobRows projectId={project.id} jobs={jobs} />}
      {found.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
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
