import type { ProjectPauseStore } from '../../jobs/project-pause-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSchema, toProjectResponse } from './project.ts'

export interface PauseRouteDeps {
  projects: ProjectStore
  pauses: ProjectPauseStore
}

export const pauseRoutes = ({ projects, pauses }: PauseRouteDeps): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/pause',
    access: 'project:write',
    name: 'pauseProject',
    tag: 'Projects',
    summary: 'Pause a project',
    description:
      'Stops all work on the jobs of the project within seconds. While the project is paused, no agent runs, nothing is ' +
      'pushed and no pull request is opened. Jobs are still accepted, and wait. Work that was in progress is repeated ' +
      'after the project is resumed. Pausing a paused project changes nothing.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    responseExamples: {
      200: {
        id: 'prj_01m7ehrhx0fk5b0axvny9mpndf',
        name: 'Product docs',
        createdAt: '2026-01-31T12:00:00.000Z',
        pausedAt: '2026-02-02T09:30:00.000Z',
      },
    },
    async handle({ projectId, actor }) {
      await pauses.pause(projectId, actor)
      return createResponse(200, toProjectResponse(await projects.get(projectId)))
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/resume',
    access: 'project:write',
    name: 'resumeProject',
    tag: 'Projects',
    summary: 'Resume a project',
    description:
      'Waiting turns continue, with the time that they had left when the project was paused. Work that was interrupted ' +
      'is repeated. Resuming a project that is not paused changes nothing.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    async handle({ projectId, actor }) {
      await pauses.resume(projectId, actor)
      return createResponse(200, toProjectResponse(await projects.get(projectId)))
    },
  }),
]
