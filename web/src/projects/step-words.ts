import type { ProjectSetup } from '@colophon/sdk'
import type { StepId } from './steps.ts'

interface StepWords {
  title: string
  /** In one line, why one would. */
  why: string
  /** What is known of it; shown beside the title. */
  outcome(setup: ProjectSetup): string
}

export const stepWords: Readonly<Record<StepId, StepWords>> = {
  repository: {
    title: 'Connect a repository',
    why: 'On GitHub, Gitea or Forgejo. The agent reads the docs there, and its changes come back as pull requests.',
    outcome: ({ repository }) => repository.name ?? '',
  },
  model: {
    title: 'Choose a model',
    why: 'It does the writing. Its key is sealed: neither the agent nor this page can read it back.',
    outcome: ({ model }) => model.name ?? '',
  },
  runner: {
    title: 'Start a runner',
    why: 'It runs the agent in a sandbox, on a machine of your choice, and holds no credentials.',
    outcome: ({ runner }) => (runner.lastSeenAt === null ? '' : runner.isOnline ? 'online' : 'seen, and offline now'),
  },
  job: {
    title: 'Post the first job',
    why: 'A plain instruction is enough, as one would write it to a colleague.',
    outcome: ({ job }) => job.status ?? '',
  },
  'pull-request': {
    title: 'See the pull request',
    why: 'What the agent changed, for people to review like any other change.',
    outcome: ({ pullRequest }) => pullRequest.state ?? '',
  },
  merge: {
    title: 'Merge it',
    why: 'Colophon never merges: that stays with you, on the code host.',
    outcome: ({ pullRequest }) => (pullRequest.state === 'merged' ? 'merged' : ''),
  },
  'human-view': {
    title: 'Count a human view',
    why: 'A script of 1 KB counts people: no cookie, no address kept.',
    outcome: ({ views }) => (views.hasHuman ? 'counted' : ''),
  },
  key: {
    title: 'Make an API key',
    why: 'Servers, CI and bots call Colophon with it, also to tell which AI read a page.',
    outcome: ({ apiKey }) => (apiKey.isCreated ? 'created' : ''),
  },
  'ai-view': {
    title: 'Count an AI view',
    why: 'AI readers run no script, so servers and logs tell of them.',
    outcome: ({ views }) => (views.hasAi ? 'counted' : ''),
  },
}
