import Type from 'typebox'
import type { PersonStore } from '../../people/person-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { Role } from '../people/member.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { type DeleteProjectDeps, deleteProjectRoute } from './delete-project.ts'
import { type ExportProjectDeps, exportProjectRoute } from './export-project.ts'
import { getSetupProgressRoute, type SetupProgressDeps } from './get-setup.ts'
import { ProjectName, ProjectSchema, toProjectResponse } from './project.ts'

export interface ProjectRouteDeps extends SetupProgressDeps, DeleteProjectDeps, ExportProjectDeps {
  projects: ProjectStore
  people: PersonStore
}

export const projectRoutes = (deps: ProjectRouteDeps): Route[] => [
  defineRoute({
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
      const projects = await deps.people.listProjects(session.person.id)
      return createResponse(200, {
        projects: projects.map((project) => ({ ...toProjectResponse(project), role: project.role })),
      })
    },
  }),
  defineRoute({
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
      createResponse(201, toProjectResponse(await deps.projects.create(body.name, actor, session.person))),
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId',
    access: 'project:read',
    name: 'getProject',
    tag: 'Projects',
    summary: 'Get a project',
    description: 'Returns the name and state of a project.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSchema } },
    handle: async ({ projectId }) => createResponse(200, toProjectResponse(await deps.projects.get(projectId))),
  }),
  defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId',
    access: 'project:write',
    name: 'renameProject',
    tag: 'Projects',
    summary: 'Rename a project',
    description: 'Changes the name of a project. Its ID stays the same.',
    schemas: {
      params: ProjectParams,
      body: Type.Object({ name: ProjectName }, { additionalProperties: false, examples: [{ name: 'Product docs' }] }),
      responses: { 200: ProjectSchema },
    },
    handle: async ({ projectId, body, actor }) =>
      createResponse(200, toProjectResponse(await deps.projects.rename(projectId, body.name, actor))),
  }),
  exportProjectRoute(deps),
  deleteProjectRoute(deps),
  getSetupProgressRoute(deps),
]
