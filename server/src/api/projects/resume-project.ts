import type { ProjectPauseStore } from '../../jobs/project-pause-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toProjectResponse } from './project.ts'

export function resumeProjectRoute({ projects, pauses }: { projects: ProjectStore; pauses: ProjectPauseStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/resume',
    access: 'project:write',
    name: 'resumeProject',
    tag: 'Projects',
    summary: 'Resume a project',
    description:
      'Waiting turns continue, with the time that they had left when the project was paused. Work that was interrupted ' +
      'is repeated. Resuming a project that is not paused changes nothing.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    async handle({ projectId, actor }) {
      await pauses.resume(projectId, actor)
      return createResponse(200, toProjectResponse(await projects.get(projectId)))
    },
  })
}
