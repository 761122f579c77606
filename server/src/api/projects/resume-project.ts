import type { PauseStore } from '../../jobs/pause-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, ProjectSchema } from './project.ts'

export function resumeProjectRoute({ projects, pauses }: { projects: ProjectStore; pauses: PauseStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/resume',
    access: 'project:write',
    name: 'resumeProject',
    tag: 'Projects',
    summary: 'Resume a project',
    description: 'What waited goes on, with the time that was left to it. Safe to repeat.',
    schemas: { params: ProjectParams, answers: { 200: ProjectSchema } },
    async handle({ projectId, actor }) {
      await pauses.resume(projectId, actor)
      return answer(200, asAnswer(await projects.get(projectId)))
    },
  })
}
