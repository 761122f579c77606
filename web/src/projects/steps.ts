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

/** The setup steps, in the order in which they are shown. */
export const journeys: readonly { title: string; steps: readonly StepId[] }[] = [
  { title: 'Your first pull request', steps: ['repository', 'model', 'runner', 'job', 'pull-request', 'merge'] },
  { title: 'Your first page views', steps: ['human-view', 'key', 'ai-view'] },
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

export const remainingSteps = (steps: readonly StepId[], setup: ProjectSetup): readonly StepId[] =>
  steps.filter((step) => !isStepDone(step, setup))

export const isSetupComplete = (setup: ProjectSetup): boolean => remainingSteps(allSteps, setup).length === 0

/** Whether there is anything to show in the overview. One journey is enough, because many projects need only one of them. */
export const hasActivity = ({ pullRequest, views }: ProjectSetup): boolean =>
  pullRequest.url !== null || views.hasHuman || views.hasAi
