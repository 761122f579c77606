import Type from 'typebox'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { ProjectDeletionStore } from '../../project-deletion/project-deletion-store.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, ProjectParams } from '../schemas.ts'

export interface DeleteProjectDeps {
  projectDeletions: ProjectDeletionStore
  siteCache: AnalyticsSiteCache
}

const DeletedProject = Type.Object(
  {
    id: Type.String({ description: 'ID of the project.', examples: ['prj_01m7ehrhx0fk5b0axvny9mpndf'] }),
    deletedAt: DateTime('Time from which on nobody can use the project. Its data is deleted in the background.'),
  },
  { $id: 'DeletedProject', description: 'A project that was deleted.' },
)

export const deleteProjectRoute = ({ projectDeletions, siteCache }: DeleteProjectDeps): Route =>
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId',
    access: 'project:write',
    requiresRecentSignIn: true,
    name: 'deleteProject',
    tag: 'Projects',
    summary: 'Delete a project',
    description:
      'Deletes a project for good, with its jobs, page views, settings and credentials. Only an owner who is signed in can do it, ' +
      'not an API key. Access ends at once for everyone, and running jobs are stopped. The data is deleted in the background. ' +
      'Branches and pull requests in the repository stay. A deletion cannot be undone: export the project first.',
    schemas: {
      params: ProjectParams,
      query: Type.Object(
        {
          name: Type.String({
            maxLength: 100,
            description: 'The exact name of the project, as a confirmation.',
            examples: ['Product docs'],
          }),
        },
        { additionalProperties: false },
      ),
      responses: { 202: DeletedProject },
    },
    async handle({ projectId, caller, query, actor }) {
      if (caller.kind !== 'person')
        throw new Problem('insufficient_scope', 'An API key cannot delete its project. Sign in as an owner.')
      const deletedAt = await projectDeletions.request(projectId, query, actor)
      siteCache.clear()
      return createResponse(202, { id: projectId, deletedAt: deletedAt.toISOString() })
    },
  })
