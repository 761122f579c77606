import Type from 'typebox'
import type { ProjectStore } from '../../projects/project-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectName, ProjectSchema, toProjectResponse } from './project.ts'

export function createProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return route({
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
      respond(201, toProjectResponse(await projects.create(body.name, actor, session.person))),
  })
}
