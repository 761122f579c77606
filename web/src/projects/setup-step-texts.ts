import type { ProjectSetup } from '@colophon/sdk'
import type { SetupStepId } from './setup-steps.ts'

interface StepText {
  title: string
  /** One line about the purpose of the step. */
  description: string
  /** The current state, shown next to the title. */
  outcome(setup: ProjectSetup): string
}

export const setupStepTexts: Readonly<Record<SetupStepId, StepText>> = {
  repository: {
    title: 'Connect a repository',
    description: 'On GitHub, Gitea or Forgejo. The agent works on a clone of it and opens pull requests.',
    outcome: ({ repository }) => repository.name ?? '',
  },
  model: {
    title: 'Choose a model',
    description: 'The language model that the agent uses. Its API key is stored encrypted and never shown again.',
    outcome: ({ model }) => model.name ?? '',
  },
  runner: {
    title: 'Start a runner',
    description: 'Runs the agent in a sandbox on a machine of your choice, without your credentials.',
    outcome: ({ runner }) => (runner.lastSeenAt === null ? '' : runner.isOnline ? 'online' : 'offline'),
  },
  job: {
    title: 'Create your first job',
    description: 'Describe the change in plain words, as you would to a colleague.',
    outcome: ({ job }) => job.status ?? '',
  },
  'pull-request': {
    title: 'See the pull request',
    description: "The agent's changes, for you to review like any other change.",
    outcome: ({ pullRequest }) => pullRequest.state ?? '',
  },
  merge: {
    title: 'Merge the pull request',
    description: 'Colophon never merges. You do, on the code host.',
    outcome: ({ pullRequest }) => (pullRequest.state === 'merged' ? 'merged' : ''),
  },
  'human-view': {
    title: 'Count a human view',
    description: 'A 1 KB script counts human views, without cookies and without storing IP addresses.',
    outcome: ({ views }) => (views.hasHuman ? 'counted' : ''),
  },
  key: {
    title: 'Create an API key',
    description: 'Servers, CI and bots use it to call Colophon, for example to report AI views.',
    outcome: ({ apiKey }) => (apiKey.isCreated ? 'created' : ''),
  },
  'ai-view': {
    title: 'Count an AI view',
    description: 'Most AI clients do not run scripts, so servers and logs report their views.',
    outcome: ({ views }) => (views.hasAi ? 'counted' : ''),
  },
}
