import type { ProjectStore } from '../../projects/project-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toProjectResponse } from './project.ts'

export function getProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId',
    access: 'project:read',
    name: 'getProject',
    tag: 'Projects',
    summary: 'Get a project',
    description: 'Returns the name and state of a project.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    handle: async ({ projectId }) => createResponse(200, toProjectResponse(await projects.get(projectId))),
  })
}
