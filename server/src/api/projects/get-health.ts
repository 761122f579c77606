import Type from 'typebox'
import type { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { Readiness } from '../../platform/http/readiness.ts'
import { createResponse } from '../../platform/http/route.ts'
import { version } from '../../platform/version.ts'
import { ComponentStatus, ReadinessStatus } from '../health/health-routes.ts'
import { defineRoute, type Route } from '../route.ts'
import { RunnerSchema, runnerExample, toRunnerResponse } from '../runners/runner.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const ProjectHealth = Type.Object(
  {
    status: ReadinessStatus,
    components: Type.Record(Type.String(), ComponentStatus, {
      description: 'Status of each component of the `api` process, by its name, for example `postgres`.',
    }),
    runners: Type.Array(RunnerSchema, { description: 'Runners that can run turns of this project, newest first.' }),
    viewBuffer: Type.Object(
      {
        bytes: Type.Integer({ description: 'Size of the buffered page views in bytes.' }),
        limitBytes: Type.Integer({
          description: 'Maximum size of the buffer in bytes. When it is full, no more page views are accepted.',
        }),
        oldestWaitingAt: nullable(
          DateTime('Time at which the oldest buffered page view was received. Null if the buffer is empty.'),
        ),
      },
      { description: 'Page views of all projects that are stored in PostgreSQL and not yet loaded into ClickHouse.' },
    ),
    versions: Type.Object(
      {
        colophon: Type.String({ description: 'Version of Colophon that the `api` process runs.' }),
        schema: nullable(Type.String(), {
          description: 'Last migration that was applied to PostgreSQL. Null if none was applied.',
        }),
      },
      { description: 'Versions of Colophon and of its database schema.' },
    ),
  },
  {
    $id: 'ProjectHealth',
    description: 'State of everything that a project depends on.',
    examples: [
      {
        status: 'ready',
        components: {
          postgres: { status: 'ok', latencyMs: 1 },
          temporal: { status: 'ok', latencyMs: 2 },
          clickhouse: { status: 'ok', latencyMs: 3 },
        },
        runners: [runnerExample],
        viewBuffer: { bytes: 20_480, limitBytes: 1_073_741_824, oldestWaitingAt: '2026-01-31T11:59:58.000Z' },
        versions: { colophon: '0.1.0', schema: '0005_views' },
      },
    ],
  },
)

export interface ProjectHealthDeps {
  readiness: Readiness
  runners: RunnerStore
  viewBuffer: PostgresViewBuffer
  readSchemaVersion: () => Promise<string | null>
}

export function getProjectHealthRoute(deps: ProjectHealthDeps): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/health',
    access: 'project:read',
    name: 'getProjectHealth',
    tag: 'Projects',
    summary: 'Get project health',
    description: 'Returns whether the services, runners and buffers that the project depends on work.',
    schemas: { params: ProjectParams, responses: { 200: ProjectHealth } },
    quiet: true,
    async handle({ projectId }) {
      const [report, runners, { oldestWaitingAt, ...buffer }, schema] = await Promise.all([
        deps.readiness.report(),
        deps.runners.listForProject(projectId),
        deps.viewBuffer.readStatus(),
        deps.readSchemaVersion(),
      ])
      return createResponse(200, {
        status: report.status,
        components: report.components,
        runners: runners.map(toRunnerResponse),
        viewBuffer: { ...buffer, oldestWaitingAt: oldestWaitingAt?.toISOString() ?? null },
        versions: { colophon: version, schema },
      })
    },
  })
}
