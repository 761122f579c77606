import Type from 'typebox'
import type { ProjectStore } from '../../projects/project-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectName, ProjectSchema, toProjectResponse } from './project.ts'

export function createProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects',
    access: 'operator',
    name: 'createProject',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'Creates a project. The signed-in operator becomes its owner.',
    schemas: {
      body: Type.Object({ name: ProjectName }, { additionalProperties: false, examples: [{ name: 'Product docs' }] }),
      responses: { 201: ProjectSchema },
    },
    handle: async ({ session, body, actor }) =>
      createResponse(201, toProjectResponse(await projects.create(body.name, actor, session.person))),
  })
}
