import type { ProjectStore } from '../../projects/project-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toResponse } from './project.ts'

export function getProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId',
    access: 'project:read',
    name: 'getProject',
    tag: 'Projects',
    summary: 'A project',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    handle: async ({ projectId }) => respond(200, toResponse(await projects.get(projectId))),
  })
}
