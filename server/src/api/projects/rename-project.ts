import Type from 'typebox'
import type { ProjectStore } from '../../projects/project-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectName, ProjectSchema, toProjectResponse } from './project.ts'

export function renameProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId',
    access: 'project:write',
    name: 'renameProject',
    tag: 'Projects',
    summary: 'Rename a project',
    description: 'Changes the name of a project. Its ID stays the same.',
    schemas: {
      params: ProjectParams,
      body: Type.Object({ name: ProjectName }, { additionalProperties: false, examples: [{ name: 'Product docs' }] }),
      responses: { 200: ProjectSchema },
    },
    handle: async ({ projectId, body, actor }) =>
      createResponse(200, toProjectResponse(await projects.rename(projectId, body.name, actor))),
  })
}
