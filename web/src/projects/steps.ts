import type { ProjectSetup } from '@colophon/sdk'

export type StepId =
  | 'repository'
  | 'model'
  | 'runner'
  | 'job'
  | 'pull-request'
  | 'merge'
  | 'human-view'
  | 'key'
  | 'ai-view'

/** From nothing to the first pull request, and to the first counted views: in this order, each with what shows that it is done. */
export const journeys: readonly { title: string; steps: readonly StepId[] }[] = [
  { title: 'Your first pull request', steps: ['repository', 'model', 'runner', 'job', 'pull-request', 'merge'] },
  { title: 'Your first counted views', steps: ['human-view', 'key', 'ai-view'] },
]

export const allSteps: readonly StepId[] = journeys.flatMap(({ steps }) => steps)

const isDone: Readonly<Record<StepId, (setup: ProjectSetup) => boolean>> = {
  repository: ({ repository }) => repository.isConnected,
  model: ({ model }) => model.name !== null,
  runner: ({ runner }) => runner.lastSeenAt !== null,
  job: ({ job }) => job.id !== null,
  'pull-request': ({ pullRequest }) => pullRequest.url !== null,
  merge: ({ pullRequest }) => pullRequest.state === 'merged',
  'human-view': ({ views }) => views.hasHuman,
  key: ({ apiKey }) => apiKey.isCreated,
  'ai-view': ({ views }) => views.hasAi,
}

export const isStepDone = (step: StepId, setup: ProjectSetup): boolean => isDone[step](setup)

export const stepsLeft = (steps: readonly StepId[], setup: ProjectSetup): readonly StepId[] =>
  steps.filter((step) => !isStepDone(step, setup))

export const isAllDone = (setup: ProjectSetup): boolean => stepsLeft(allSteps, setup).length === 0

/** Many a project wants only one of the journeys: what goes on is shown as soon as anything does. */
export const hasSomethingToShow = ({ pullRequest, views }: ProjectSetup): boolean =>
  pullRequest.url !== null || views.hasHuman || views.hasAi
