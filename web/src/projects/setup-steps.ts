import type { ProjectSetup } from '@colophon/sdk'

export type SetupStepId =
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
export const setupStepGroups: readonly { title: string; steps: readonly SetupStepId[] }[] = [
  { title: 'Your first pull request', steps: ['repository', 'model', 'runner', 'job', 'pull-request', 'merge'] },
  { title: 'Your first page views', steps: ['human-view', 'key', 'ai-view'] },
]

export const allSetupSteps: readonly SetupStepId[] = setupStepGroups.flatMap(({ steps }) => steps)

const isDone: Readonly<Record<SetupStepId, (setup: ProjectSetup) => boolean>> = {
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

export const isSetupStepDone = (step: SetupStepId, setup: ProjectSetup): boolean => isDone[step](setup)

export const findRemainingSetupSteps = (steps: readonly SetupStepId[], setup: ProjectSetup): readonly SetupStepId[] =>
  steps.filter((step) => !isSetupStepDone(step, setup))

export const isSetupComplete = (setup: ProjectSetup): boolean =>
  findRemainingSetupSteps(allSetupSteps, setup).length === 0

/** Whether there is anything to show in the overview. One journey is enough, because many projects need only one of them. */
export const hasActivity = ({ pullRequest, views }: ProjectSetup): boolean =>
  pullRequest.url !== null || views.hasHuman || views.hasAi
