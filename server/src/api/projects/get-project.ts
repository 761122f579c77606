import type { ProjectStore } from '../../projects/project-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, ProjectSchema } from './project.ts'

export function getProjectRoute({ projects }: { projects: ProjectStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId',
    access: 'project:read',
    name: 'getProject',
    tag: 'Projects',
    summary: 'A project',
    schemas: { params: ProjectParams, answers: { 200: ProjectSchema } },
    handle: async ({ projectId }) => answer(200, asAnswer(await projects.get(projectId))),
  })
}
