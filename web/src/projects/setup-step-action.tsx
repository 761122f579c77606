import type { ProjectSetup } from '@colophon/sdk'
import { Button, Group, Loader, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { HumanSourceSwitchedAlert } from '../analytics/human-source-switched-alert.tsx'
import { siteKeysQuery, viewSettingsQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { renderAiViewExample, renderScriptTag } from '../keys/examples.ts'
import { CopyBlock } from '../shown/copy-block.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ExternalLink } from '../shown/external-link.tsx'
import { AnchorLink, ButtonLink } from '../shown/links.tsx'
import { FirstJobForm } from './first-job-form.tsx'
import { canManage, type MyProject } from './project.ts'
import { setupQuery } from './setup.ts'
import { isSetupStepDone, type SetupStepId } from './setup-steps.ts'

interface Props {
  step: SetupStepId
  project: MyProject
  setup: ProjectSetup
}

/** What to do for a step: a form, or a link to the page where it is done. */
export function SetupStepAction({ step, project, setup }: Props) {
  const params = { projectId: project.id }
  const isDone = isSetupStepDone(step, setup)
  const forOwners = (link: ReactNode) => (canManage(project) ? <Group>{link}</Group> : <OwnersOnly />)
  switch (step) {
    case 'repository':
      return forOwners(
        <ButtonLink
          to="/projects/$projectId/settings/repository"
          params={params}
          variant={isDone ? 'default' : 'filled'}
        >
          {isDone ? 'View repository' : 'Connect a repository'}
        </ButtonLink>,
      )
    case 'model':
      return forOwners(
        <ButtonLink to="/projects/$projectId/settings/models" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'View models' : 'Choose a model'}
        </ButtonLink>,
      )
    case 'runner':
      return forOwners(
        <ButtonLink to="/projects/$projectId/settings/runners" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'View runners' : 'Start a runner'}
        </ButtonLink>,
      )
    case 'job':
      return isDone ? <JobLink project={project} setup={setup} /> : <FirstJobForm projectId={project.id} />
    case 'pull-request':
      return <PullRequest project={project} setup={setup} />
    case 'merge':
      return setup.pullRequest.url === null ? (
        <Text size="sm">Available when there is a pull request.</Text>
      ) : (
        <Group>
          <ExternalLink href={setup.pullRequest.url}>
            {isDone ? 'View merged pull request' : 'Review and merge on the code host'}
          </ExternalLink>
          {setup.pullRequest.state === 'closed' && (
            <Text size="sm">It was closed without merging. Send a message to the job to get a new one.</Text>
          )}
        </Group>
      )
    case 'human-view':
      return <HumanView project={project} setup={setup} />
    case 'key':
      return forOwners(
        <ButtonLink to="/projects/$projectId/keys" params={params} variant={isDone ? 'default' : 'filled'}>
          {isDone ? 'View API keys' : 'Create an API key'}
        </ButtonLink>,
      )
    case 'ai-view':
      return (
        <>
          <Text size="sm">
            Set <code>COLOPHON_API_KEY</code> to an API key and run this command. It sends one view, as the server of
            your site would.{' '}
            <AnchorLink to="/projects/$projectId/analytics/sources" params={params} inherit>
              Sources
            </AnchorLink>{' '}
            shows how to send all views.
          </Text>
          <CopyBlock
            label="curl command"
            text={renderAiViewExample({ origin: window.location.origin, projectId: project.id })}
          />
        </>
      )
  }
}

const OwnersOnly = () => <Text size="sm">Ask an owner of the project to do this.</Text>

function JobLink({ project, setup }: { project: MyProject; setup: ProjectSetup }) {
  if (setup.job.id === null) return null
  return (
    <Group>
      <AnchorLink to="/projects/$projectId/jobs/$jobId" params={{ projectId: project.id, jobId: setup.job.id }}>
        View job
      </AnchorLink>
    </Group>
  )
}

function PullRequest({ project, setup }: { project: MyProject; setup: ProjectSetup }) {
  const { job, pullRequest } = setup
  if (pullRequest.url !== null)
    return (
      <Group>
        <ExternalLink href={pullRequest.url}>Open pull request</ExternalLink>
      </Group>
    )
  if (job.id === null) return <Text size="sm">It appears automatically when your first job is done.</Text>
  if (job.status === 'active')
    return (
      <Group gap="sm">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm">
          {setup.runner.isOnline
            ? 'The agent is working. The pull request will appear here.'
            : 'The job is queued because no runner is online. Start a runner.'}
        </Text>
        <JobLink project={project} setup={setup} />
      </Group>
    )
  return (
    <Group gap="sm">
      <Text size="sm">
        {job.status === 'failed'
          ? 'The last job failed. Open it to see why and what to do.'
          : 'The last job changed no files, so there is no pull request. Create another job.'}
      </Text>
      <JobLink project={project} setup={setup} />
    </Group>
  )
}

function HumanView({ project, setup }: { project: MyProject; setup: ProjectSetup }) {
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () => client.views.createSiteKey(project.id),
    onSuccess: () =>
      Promise.all(
        [setupQuery, siteKeysQuery, viewSettingsQuery].map((query) =>
          queryClient.invalidateQueries({ queryKey: query(project.id).queryKey }),
        ),
      ),
  })
  const { key } = setup.siteKey
  if (key === null)
    return canManage(project) ? (
      <>
        <Group>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            Create site key
          </Button>
        </Group>
        <ErrorAlert error={create.error} />
      </>
    ) : (
      <OwnersOnly />
    )
  return (
    <>
      {create.data?.humanSourceSwitched && <HumanSourceSwitchedAlert projectId={project.id} />}
      <Text size="sm">Add this tag to the head of every page of your site, then open one of the pages.</Text>
      <CopyBlock label="script tag" text={renderScriptTag({ origin: window.location.origin, siteKey: key })} />
    </>
  )
}
