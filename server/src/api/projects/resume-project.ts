import type { PauseStore } from '../../jobs/pause-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toResponse } from './project.ts'

export function resumeProjectRoute({ projects, pauses }: { projects: ProjectStore; pauses: PauseStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/resume',
    access: 'project:write',
    name: 'resumeProject',
    tag: 'Projects',
    summary: 'Resume a project',
    description: 'What waited goes on, with the time that was left to it. Safe to repeat.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    async handle({ projectId, actor }) {
      await pauses.resume(projectId, actor)
      return respond(200, toResponse(await projects.get(projectId)))
    },
  })
}
