import Type from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import { type Route, respond, route } from '../route.ts'
import { Role } from './member.ts'
import { ProjectSchema, toResponse } from './project.ts'

export function listProjectsRoute({ people }: { people: PersonStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects',
    access: 'session',
    name: 'listProjects',
    tag: 'Projects',
    summary: 'The projects that you are a member of',
    schemas: {
      responses: {
        200: Type.Object({ projects: Type.Array(Type.Object({ ...ProjectSchema.properties, role: Role })) }),
      },
    },
    async handle({ session }) {
      const projects = await people.listProjects(session.person.id)
      return respond(200, { projects: projects.map((project) => ({ ...toResponse(project), role: project.role })) })
    },
  })
}
