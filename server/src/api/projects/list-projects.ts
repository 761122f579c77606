import Type from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import { answer, type Route, route } from '../route.ts'
import { Role } from './member.ts'
import { asAnswer, ProjectSchema } from './project.ts'

export function listProjectsRoute({ people }: { people: PersonStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects',
    access: 'session',
    name: 'listProjects',
    tag: 'Projects',
    summary: 'The projects that you are a member of',
    schemas: {
      answers: {
        200: Type.Object({ projects: Type.Array(Type.Object({ ...ProjectSchema.properties, role: Role })) }),
      },
    },
    async handle({ session }) {
      const projects = await people.listProjects(session.person.id)
      return answer(200, { projects: projects.map((project) => ({ ...asAnswer(project), role: project.role })) })
    },
  })
}
