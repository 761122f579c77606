/** A project with its own runners, whose repository has files that results must not change. */
import { createClient } from '../../sdk/src/index.ts'
import { attackedFiles } from '../../server/src/code-hosts/testing/hostile-result.ts'
import type { Colophon, ProjectWithClient } from '../../testing/harness/colophon.ts'

export interface AttackedProject extends ProjectWithClient {
  /** Returns the token of a new runner that gets turns of this project only. */
  createRunner(name: string): Promise<string>
}

export async function createAttackedProject(
  colophon: Colophon,
  apiUrl: string,
  name: string,
): Promise<AttackedProject> {
  const project = await colophon.connectProject(name, { files: attackedFiles })
  return {
    ...project,
    client: createClient({ baseUrl: apiUrl, apiKey: project.key }),
    createRunner: (runnerName) => colophon.createRunnerToken([project.projectId], runnerName),
  }
}
