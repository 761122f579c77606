import type { PauseStore } from '../../jobs/pause-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toResponse } from './project.ts'

export function pauseProjectRoute({ projects, pauses }: { projects: ProjectStore; pauses: PauseStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/pause',
    access: 'project:write',
    name: 'pauseProject',
    tag: 'Projects',
    summary: 'Pause a project',
    description: 'Turns under way stop within seconds and wait; jobs are still taken, and wait too. Safe to repeat.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    async handle({ projectId, actor }) {
      await pauses.pause(projectId, actor)
      return respond(200, toResponse(await projects.get(projectId)))
    },
  })
}
