import Type from 'typebox'
import type { SeenClients } from '../../analytics/query/seen-clients.ts'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import type { FindFurthestJob } from '../../jobs/furthest-job.ts'
import { jobStatuses } from '../../jobs/job-state.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import { defaultModel } from '../../models/model.ts'
import type { ModelStore } from '../../models/model-store.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const Setup = Type.Object(
  {
    repository: Type.Object({ isConnected: Type.Boolean(), name: nullable(Type.String()) }),
    model: Type.Object({ name: nullable(Type.String({ description: 'The one of jobs that name none.' })) }),
    runner: Type.Object({ lastSeenAt: nullable(DateTime('Of whichever was seen last.')), isOnline: Type.Boolean() }),
    job: Type.Object(
      { id: nullable(Type.String()), status: nullable(Type.Enum(jobStatuses)) },
      { description: 'The one that came furthest.' },
    ),
    pullRequest: Type.Object({
      url: nullable(Type.String()),
      state: nullable(Type.Enum(['open', 'merged', 'closed'])),
    }),
    apiKey: Type.Object({ isCreated: Type.Boolean() }),
    siteKey: Type.Object({ key: nullable(Type.String()) }),
    views: Type.Object({ hasHuman: Type.Boolean(), hasAi: Type.Boolean() }),
  },
  { $id: 'ProjectSetup' },
)

export interface SetupDeps {
  repositories: RepositoryStore
  models: ModelStore
  runners: RunnerStore
  findFurthestJob: FindFurthestJob
  keys: KeyStore
  analyticsSettings: SettingsStore
  seenClients: SeenClients
}

export function getSetupRoute(deps: SetupDeps): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/setup',
    access: 'project:read',
    name: 'getSetup',
    tag: 'Projects',
    summary: 'How far a project is set up',
    description:
      'From nothing to a first pull request and a first counted view. Cheap: it may be asked every two seconds.',
    schemas: { params: ProjectParams, responses: { 200: Setup } },
    quiet: true,
    async handle({ projectId }) {
      const [repository, model, runners, job, keys, siteKeys, views] = await Promise.all([
        deps.repositories.find(projectId),
        deps.models.find(projectId, defaultModel),
        deps.runners.listFor(projectId),
        deps.findFurthestJob(projectId),
        deps.keys.list(projectId, { limit: 1, before: undefined }),
        deps.analyticsSettings.listSiteKeys(projectId),
        deps.seenClients.find(projectId),
      ])
      const lastSeen = runners.flatMap(({ lastSeenAt }) => lastSeenAt ?? []).sort((a, b) => +b - +a)[0]
      return respond(200, {
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
