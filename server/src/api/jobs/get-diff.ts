import Type from 'typebox'
import type { JobStore } from '../../jobs/job-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { nullable } from '../schemas.ts'
import { JobParams } from './agent-job.ts'

const exampleDiff = `diff --git a/docs/install.md b/docs/install.md
index 8f1d2c4..b7a9e03 100644
--- a/docs/install.md
+++ b/docs/install.md
@@ -12,3 +12,5 @@ Run the installer:
 npm install
 \`\`\`
 
+Behind a proxy, set \`HTTPS_PROXY\` first.
+
`

export function getDiffRoute({ jobs }: { jobs: JobStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/agent/:projectId/job/:id/diff',
    access: 'agent:read',
    name: 'getDiff',
    tag: 'Agent jobs',
    summary: 'Get the diff of an agent job',
    description: 'Returns the changes of the job against the branch that it works from.',
    schemas: {
      params: JobParams,
      responses: {
        200: Type.Object({
          diff: nullable(Type.String(), {
            description: 'The changes in the format of `git diff`. Null if no file was changed.',
            examples: [exampleDiff],
          }),
        }),
      },
    },
    handle: async ({ projectId, params }) => createResponse(200, { diff: await jobs.diff(projectId, params.id) }),
  })
}
