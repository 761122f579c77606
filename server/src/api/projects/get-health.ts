import Type from 'typebox'
import type { ViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { Readiness } from '../../platform/http/readiness.ts'
import { version } from '../../platform/version.ts'
import { ComponentStatus, ReadinessStatus } from '../health/readyz.ts'
import { type Route, respond, route } from '../route.ts'
import { RunnerSchema, toResponse } from '../runners/runner.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const ProjectHealth = Type.Object(
  {
    status: ReadinessStatus,
    components: Type.Record(Type.String(), ComponentStatus),
    runners: Type.Array(RunnerSchema),
    viewBuffer: Type.Object(
      {
        bytes: Type.Integer(),
        limitBytes: Type.Integer({ description: 'With so much waiting no more views are taken.' }),
        oldestWaitingAt: nullable(DateTime('Since when the oldest waits. Null: nothing does.')),
      },
      { description: 'Views of all projects that were taken and are not counted yet.' },
    ),
    versions: Type.Object({
      colophon: Type.String(),
      schema: nullable(Type.String(), { description: "The last change of PostgreSQL's tables." }),
    }),
  },
  { $id: 'ProjectHealth' },
)

export interface HealthDeps {
  readiness: Readiness
  runners: RunnerStore
  viewBuffer: ViewBuffer
  readSchemaVersion: () => Promise<string | null>
}

export function getHealthRoute(deps: HealthDeps): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/health',
    access: 'project:read',
    name: 'getProjectHealth',
    tag: 'Projects',
    summary: 'What a project depends on, and whether it works',
    schemas: { params: ProjectParams, responses: { 200: ProjectHealth } },
    quiet: true,
    async handle({ projectId }) {
      const [report, runners, { oldestWaitingAt, ...buffer }, schema] = await Promise.all([
        deps.readiness.report(),
        deps.runners.listFor(projectId),
        deps.viewBuffer.look(),
        deps.readSchemaVersion(),
      ])
      return respond(200, {
        status: report.status,
        components: report.components,
        runners: runners.map(toResponse),
        viewBuffer: { ...buffer, oldestWaitingAt: oldestWaitingAt?.toISOString() ?? null },
        versions: { colophon: version, schema },
      })
    },
  })
}
