import type { ProjectSetup } from '@colophon/sdk'
import { Button, Group, Loader, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { client } from '../app/client.ts'
import { aiViewExample, scriptTag } from '../keys/examples.ts'
import { CopyBlock } from '../shown/copy-block.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink, ButtonLink } from '../shown/links.tsx'
import { WebLink } from '../shown/web-link.tsx'
import { FirstJob } from './first-job.tsx'
import { mayManage, type ProjectOfMine } from './project.ts'
import { setupQuery } from './setup.ts'
import { isStepDone, type StepId } from './steps.ts'

interface Props {
  step: StepId
  project: ProjectOfMine
  setup: ProjectSetup
}

/** What to do for a step, right there, or the way to where it is done. */
export function StepAction({ step, project, setup }: Props) {
  const params = { projectId: project.id }
  const isDone = isStepDone(step, setup)
  const forOwners = (link: ReactNode) => (mayManage(project) ? <Group>{link}</Group> : <OwnersOnly />)
  switch (step) {
    case 'repository':
      return forOwners(
        <ButtonLink
          to="/projects/$projectId/settings/repository"
          params={params}
          variant={isDone ? 'default' : 'filled'}
        >
          {isDone ? 'Look at the repository' : 'Connect a repository'}
        </ButtonLink>,
      )
    case 'model':
      return forOwners(
        <ButtonLink to="/projects/$projectId/settings/models" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'Look at the models' : 'Choose a model'}
        </ButtonLink>,
      )
    case 'runner':
      return forOwners(
        <ButtonLink to="/projects/$projectId/settings/runners" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'Look at the runners' : 'Start a runner'}
        </ButtonLink>,
      )
    case 'job':
      return isDone ? <SeeJob project={project} setup={setup} /> : <FirstJob projectId={project.id} />
    case 'pull-request':
      return <PullRequest project={project} setup={setup} />
    case 'merge':
      return setup.pullRequest.url === null ? (
        <Text size="sm">First there has to be one.</Text>
      ) : (
        <Group>
          <WebLink href={setup.pullRequest.url}>
            {isDone ? 'See the merged pull request' : 'Review and merge it on the code host'}
          </WebLink>
          {setup.pullRequest.state === 'closed' && (
            <Text size="sm">It was closed without merging. A message to the job opens another.</Text>
          )}
        </Group>
      )
    case 'human-view':
      return <HumanView project={project} setup={setup} />
    case 'key':
      return forOwners(
        <ButtonLink to="/projects/$projectId/keys" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'Look at the API keys' : 'Make an API key'}
        </ButtonLink>,
      )
    case 'ai-view':
      return (
        <>
          <Text size="sm">
            Run this with an API key in <code>COLOPHON_API_KEY</code>. It tells of one view as your site's server would;{' '}
            <AnchorLink to="/projects/$projectId/analytics/sources" params={params} inherit>
              Sources
            </AnchorLink>{' '}
            shows how to send them all.
          </Text>
          <CopyBlock
            label="the curl line"
            text={aiViewExample({ origin: window.location.origin, projectId: project.id })}
          />
        </>
      )
  }
}

const OwnersOnly = () => <Text size="sm">An owner of the project does this.</Text>

function SeeJob({ project, setup }: { project: ProjectOfMine; setup: ProjectSetup }) {
  if (setup.job.id === null) return null
  return (
    <Group>
      <AnchorLink to="/projects/$projectId/jobs/$jobId" params={{ projectId: project.id, jobId: setup.job.id }}>
        Follow the job
      </AnchorLink>
    </Group>
  )
}

function PullRequest({ project, setup }: { project: ProjectOfMine; setup: ProjectSetup }) {
  const { job, pullRequest } = setup
  if (pullRequest.url !== null)
    return (
      <Group>
        <WebLink href={pullRequest.url}>Open the pull request</WebLink>
      </Group>
    )
  if (job.id === null) return <Text size="sm">It comes by itself when the first job is done.</Text>
  if (job.status === 'active')
    return (
      <Group gap="sm">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm">
          {setup.runner.isOnline
            ? 'The agent is at work. The pull request appears here.'
            : 'The job waits for a runner: none is online.'}
        </Text>
        <SeeJob project={project} setup={setup} />
      </Group>
    )
  return (
    <Group gap="sm">
      <Text size="sm">
        {job.status === 'failed'
          ? 'The last job failed: its page says why, and what to do.'
          : 'The last job changed no file, so there is none. Post another.'}
      </Text>
      <SeeJob project={project} setup={setup} />
    </Group>
  )
}

function HumanView({ project, setup }: { project: ProjectOfMine; setup: ProjectSetup }) {
  const queryClient = useQueryClient()
  const make = useMutation({
    mutationFn: () => client.views.createSiteKey(project.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: setupQuery(project.id).queryKey }),
  })
  const { key } = setup.siteKey
  if (key === null)
    return mayManage(project) ? (
      <>
        <Group>
          <Button loading={make.isPending} onClick={() => make.mutate()}>
            Make a site key
          </Button>
        </Group>
        <Failure error={make.error} />
      </>
    ) : (
      <OwnersOnly />
    )
  return (
    <>
      <Text size="sm">Put this into the head of every page of your site, and open one of them.</Text>
      <CopyBlock label="the script tag" text={scriptTag({ origin: window.location.origin, siteKey: key })} />
    </>
  )
}
