import type { ProjectSetup } from '@colophon/sdk'
import { Button, Skeleton, Stack } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Failure } from '../shown/failure.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { askAgainAfterMs } from './ask-again.ts'
import { Checklist } from './checklist.tsx'
import { Overview } from './overview.tsx'
import { mayWork, type ProjectOfMine, useProject } from './project.ts'
import { setupQuery } from './setup.ts'
import { allSteps, hasSomethingToShow, isAllDone, stepsLeft } from './steps.ts'

const overviewLead = 'The last jobs, and what was read in the last 7 days.'

/** The first page of a project: the way in while it is being set up, and what goes on once something does. */
export function StartPage() {
  const project = useProject()
  if (mayWork(project)) return <SetUpAndOverview key={project.id} project={project} />
  // Viewers can do no step of it: they come to see.
  return (
    <>
      <PageHeader title={project.name} lead={overviewLead} />
      <Overview projectId={project.id} />
    </>
  )
}

function SetUpAndOverview({ project }: { project: ProjectOfMine }) {
  const [openedAtMs] = useState(Date.now)
  // Of this browser: whoever began the checklist here goes on with it, and whoever put it away is not asked again.
  const [remembered, remember] = useLocalStorage<'open' | 'away' | null>({
    key: `colophon.checklist.${project.id}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  const { data: setup, error } = useQuery({
    ...setupQuery(project.id),
    refetchInterval: ({ state: { data } }) =>
      askAgainAfterMs({ setup: data, isOpen: isOpen(remembered, data), openForMs: Date.now() - openedAtMs }),
  })
  const hasOverview = setup !== undefined && hasSomethingToShow(setup)
  const allDone = setup !== undefined && isAllDone(setup)
  const hasBegun = setup !== undefined && !hasOverview
  useEffect(() => {
    if (hasBegun) remember('open')
    else if (allDone) remember('away')
  }, [hasBegun, allDone, remember])
  if (!setup || !hasOverview)
    return (
      <>
        <PageHeader
          title="Get started"
          lead="From nothing to a merged pull request and counted views. Each step ticks itself off when it is done."
        />
        <Failure error={error} title="How far the project has come cannot be read" />
        {setup ? <Checklist project={project} setup={setup} /> : !error && <Loading />}
      </>
    )
  const isShown = isOpen(remembered, setup)
  const left = stepsLeft(allSteps, setup).length
  return (
    <>
      <PageHeader title={project.name} lead={overviewLead}>
        <Button variant="default" onClick={() => remember(isShown ? 'away' : 'open')} aria-expanded={isShown}>
          {isShown ? 'Hide the checklist' : left > 0 ? `Show the checklist (${left} left)` : 'Show the checklist'}
        </Button>
      </PageHeader>
      {isShown && <Checklist project={project} setup={setup} />}
      <Overview projectId={project.id} />
    </>
  )
}

/** Open while there is nothing else to show; folded for whoever comes later, unless they were at it. */
const isOpen = (remembered: 'open' | 'away' | null, setup: ProjectSetup | undefined): boolean =>
  setup === undefined || !hasSomethingToShow(setup) || remembered === 'open'

const Loading = () => (
  <Stack>
    <Skeleton h={320} />
    <Skeleton h={180} />
  </Stack>
)
