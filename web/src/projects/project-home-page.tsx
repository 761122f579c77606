import type { ProjectSetup } from '@colophon/sdk'
import { Button, Skeleton, Stack } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { Overview } from './overview.tsx'
import { canEdit, type MyProject, useProject } from './project.ts'
import { setupQuery } from './setup.ts'
import { SetupChecklist } from './setup-checklist.tsx'
import { setupRefetchIntervalMs } from './setup-refetch-interval.ts'
import { allSetupSteps, findRemainingSetupSteps, hasActivity, isSetupComplete } from './setup-steps.ts'

const overviewLead = 'Recent jobs, and page views of the last 7 days.'

/** The home page of a project: the setup checklist, and recent activity as soon as there is any. */
export function ProjectHomePage() {
  const project = useProject()
  if (canEdit(project)) return <SetupAndOverview key={project.id} project={project} />
  // Viewers cannot do any of the setup steps.
  return (
    <>
      <PageHeader title={project.name} lead={overviewLead} />
      <Overview projectId={project.id} />
    </>
  )
}

function SetupAndOverview({ project }: { project: MyProject }) {
  const [openedAtMs] = useState(Date.now)
  // Stored in this browser: a checklist that was started here stays open, and one that was hidden stays hidden.
  const [checklistState, setChecklistState] = useLocalStorage<'open' | 'hidden' | null>({
    key: `colophon.checklist.${project.id}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  const { data: setup, error } = useQuery({
    ...setupQuery(project.id),
    refetchInterval: ({ state: { data } }) =>
      setupRefetchIntervalMs({
        setup: data,
        isOpen: isChecklistOpen(checklistState, data),
        openForMs: Date.now() - openedAtMs,
      }),
  })
  const hasOverview = setup !== undefined && hasActivity(setup)
  const allDone = setup !== undefined && isSetupComplete(setup)
  const isSettingUp = setup !== undefined && !hasOverview
  useEffect(() => {
    if (isSettingUp) setChecklistState('open')
    else if (allDone) setChecklistState('hidden')
  }, [isSettingUp, allDone, setChecklistState])
  if (!setup || !hasOverview)
    return (
      <>
        <PageHeader
          title="Get started"
          lead="Get your first merged pull request and your first page views. Each step is checked off automatically when it is done."
        />
        <ErrorAlert error={error} title="The setup steps could not be loaded" />
        {setup ? <SetupChecklist project={project} setup={setup} /> : !error && <Loading />}
      </>
    )
  const isChecklistShown = isChecklistOpen(checklistState, setup)
  const remainingCount = findRemainingSetupSteps(allSetupSteps, setup).length
  return (
    <>
      <PageHeader title={project.name} lead={overviewLead}>
        <Button
          variant="default"
          onClick={() => setChecklistState(isChecklistShown ? 'hidden' : 'open')}
          aria-expanded={isChecklistShown}
        >
          {isChecklistShown
            ? 'Hide checklist'
            : remainingCount > 0
              ? `Show checklist (${remainingCount} left)`
              : 'Show checklist'}
        </Button>
      </PageHeader>
      {isChecklistShown && <SetupChecklist project={project} setup={setup} />}
      <Overview projectId={project.id} />
    </>
  )
}

/** Open while there is nothing else to show. Afterwards only for people who started the checklist in this browser. */
const isChecklistOpen = (checklistState: 'open' | 'hidden' | null, setup: ProjectSetup | undefined): boolean =>
  setup === undefined || !hasActivity(setup) || checklistState === 'open'

const Loading = () => (
  <Stack>
    <Skeleton h={320} />
    <Skeleton h={180} />
  </Stack>
)
