import Type from 'typebox'
import type { ObservedTrafficFinder } from '../../analytics/query/observed-traffic-finder.ts'
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { FindMostAdvancedJob } from '../../jobs/most-advanced-job.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import { defaultModelAlias } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const Setup = Type.Object(
  {
    repository: Type.Object(
      {
        isConnected: Type.Boolean({ description: 'Whether the project is connected to a repository.' }),
        name: nullable(Type.String(), {
          description: 'Owner and name of the repository. Null if no repository is connected.',
        }),
      },
      { description: 'The repository of the project.' },
    ),
    model: Type.Object(
      {
        name: nullable(Type.String(), {
          description: 'Name of the model that jobs use unless they name one. Null if there is no default model.',
        }),
      },
      { description: 'The default model of the project.' },
    ),
    runner: Type.Object(
      {
        lastSeenAt: nullable(
          DateTime('Time at which a runner of the project last polled for a turn. Null if no runner ever polled.'),
        ),
        isOnline: Type.Boolean({ description: 'Whether at least one runner of the project is online.' }),
      },
      { description: 'The runners of the project.' },
    ),
    job: Type.Object(
      {
        id: nullable(Type.String(), { description: 'ID of the most advanced job. Null if there is no job.' }),
        status: nullable(Type.Enum(jobStatuses), {
          description: 'Status of the most advanced job. Null if there is no job.',
        }),
      },
      {
        description:
          'The most advanced of the newest jobs: one with a merged pull request, else one with any pull request, else ' +
          'the newest.',
      },
    ),
    pullRequest: Type.Object(
      {
        url: nullable(Type.String(), { description: 'URL of the pull request. Null if the job has none.' }),
        state: nullable(Type.Enum(['open', 'merged', 'closed']), {
          description: 'State of the pull request. Null if the job has none.',
        }),
      },
      { description: 'The pull request of the most advanced job.' },
    ),
    apiKey: Type.Object(
      { isCreated: Type.Boolean({ description: 'Whether an API key was created.' }) },
      { description: 'The API keys of the project.' },
    ),
    siteKey: Type.Object(
      { key: nullable(Type.String(), { description: 'A site key of the project. Null if there is none.' }) },
      { description: 'The site key of the project, which the page view script needs.' },
    ),
    views: Type.Object(
      {
        hasHuman: Type.Boolean({ description: 'Whether page views by humans have been counted.' }),
        hasAi: Type.Boolean({ description: 'Whether page views by AI clients have been counted.' }),
      },
      { description: 'The page views of the project.' },
    ),
  },
  {
    $id: 'ProjectSetup',
    description: 'Progress of setting up a project.',
    examples: [
      {
        repository: { isConnected: true, name: 'acme/handbook' },
        model: { name: 'sonnet' },
        runner: { lastSeenAt: '2026-01-31T12:00:00.000Z', isOnline: true },
        job: { id: 'job_01m7ej5fb2e1et8d6t4k20dq6v', status: 'completed' },
        pullRequest: { url: 'https://github.com/acme/handbook/pull/42', state: 'open' },
        apiKey: { isCreated: true },
        siteKey: { key: 'site_5f2b8c91d04e7a36b1c8e0f2' },
        views: { hasHuman: true, hasAi: false },
      },
    ],
  },
)

export interface SetupProgressDeps {
  repositories: RepositoryStore
  models: ModelStore
  runners: RunnerStore
  findMostAdvancedJob: FindMostAdvancedJob
  keys: KeyStore
  analyticsSettings: AnalyticsSettingsStore
  observedTraffic: ObservedTrafficFinder
}

export function getSetupProgressRoute(deps: SetupProgressDeps): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/setup',
    access: 'project:read',
    name: 'getSetup',
    tag: 'Projects',
    summary: 'Get setup progress',
    description:
      "Returns the project's progress toward its first pull request and its first page view. The request is inexpensive: you " +
      'can poll it every two seconds.',
    schemas: { params: ProjectParams, responses: { 200: Setup } },
    quiet: true,
    async handle({ projectId }) {
      const [repository, model, runners, job, keys, siteKeys, views] = await Promise.all([
        deps.repositories.find(projectId),
        deps.models.find(projectId, defaultModelAlias),
        deps.runners.listForProject(projectId),
        deps.findMostAdvancedJob(projectId),
        deps.keys.list(projectId, { limit: 1, before: undefined }),
        deps.analyticsSettings.listSiteKeys(projectId),
        deps.observedTraffic.find(projectId),
      ])
      const lastSeen = runners.flatMap(({ lastSeenAt }) => lastSeenAt ?? []).sort((a, b) => +b - +a)[0]
      return createResponse(200, {
        repository: {
          isConnected: repository !== undefined,
          name: repository ? `${repository.owner}/${repository.name}` : null,
        },
        model: { name: model?.name ?? null },
        runner: { lastSeenAt: lastSeen?.toISOString() ?? null, isOnline: runners.some(({ isOnline }) => isOnline) },
        job: { id: job?.id ?? null, status: job?.status ?? null },
        pullRequest: { url: job?.pullRequestUrl ?? null, state: job?.pullRequestState ?? null },
        apiKey: { isCreated: keys.length > 0 },
        siteKey: { key: siteKeys[0]?.key ?? null },
        views: { hasHuman: views.human, hasAi: views.ai },
      })
    },
  })
}
