import Type from 'typebox'
import type { ViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { Readiness } from '../../platform/http/readiness.ts'
import { version } from '../../platform/version.ts'
import { ComponentStatus, ReadinessStatus } from '../health/readyz.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, RunnerSchema } from '../runners/runner.ts'
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

export interface HealthParts {
  readiness: Readiness
  runners: RunnerStore
  viewBuffer: ViewBuffer
  readSchemaVersion: () => Promise<string | null>
}

export function getHealthRoute(parts: HealthParts): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/health',
    access: 'project:read',
    name: 'getProjectHealth',
    tag: 'Projects',
    summary: 'What a project depends on, and whether it works',
    schemas: { params: ProjectParams, answers: { 200: ProjectHealth } },
    quiet: true,
    async handle({ projectId }) {
      const [report, runners, { oldestWaitingAt, ...buffer }, schema] = await Promise.all([
        parts.readiness.report(),
        parts.runners.listFor(projectId),
        parts.viewBuffer.look(),
        parts.readSchemaVersion(),
      ])
      return answer(200, {
        status: report.status,
        components: report.components,
        runners: runners.map(asAnswer),
        viewBuffer: { ...buffer, oldestWaitingAt: oldestWaitingAt?.toISOString() ?? null },
        versions: { colophon: version, schema },
      })
    },
  })
}
