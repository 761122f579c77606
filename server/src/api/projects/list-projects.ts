import Type from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { Role } from './member.ts'
import { ProjectSchema, toProjectResponse } from './project.ts'

export function listProjectsRoute({ people }: { people: PersonStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects',
    access: 'session',
    name: 'listProjects',
    tag: 'Projects',
    summary: 'List projects',
    description: 'Returns the projects that the signed-in person is a member of, by name.',
    schemas: {
      responses: {
        200: Type.Object({
          projects: Type.Array(Type.Object({ ...ProjectSchema.properties, role: Role }), {
            description: 'Projects of the signed-in person, by name, with their role in each.',
          }),
        }),
      },
    },
    async handle({ session }) {
      const projects = await people.listProjects(session.person.id)
      return createResponse(200, {
        projects: projects.map((project) => ({ ...toProjectResponse(project), role: project.role })),
      })
    },
  })
}
