/** Renamed, transferred, archived, deleted, shut out: by looking, every hour and whenever the code host hints. */
import type { RepositoryLook } from '../code-hosts/code-host.ts'
import type { Log } from '../platform/log.ts'
import type { RepositoryStore, SeenRepository } from '../projects/repository-store.ts'
import { keepLooking } from './keep-looking.ts'
import type { OpenProject } from './open-project.ts'

const lookAgainSeconds = 3_600
/** After a look that failed: what the host hinted at has not been seen, and it hints once. */
const lookAgainAfterFailureSeconds = 60

/** A host that is away leaves us with what we knew. */
export function followRepositories({
  repositories,
  openProject,
  log,
}: {
  repositories: RepositoryStore
  openProject: OpenProject
  log: Log
}): { stop(): Promise<void> } {
  return keepLooking({
    what: 'repositories',
    async takeDue(limit, busy) {
      const due = await repositories.takeDueLooks(lookAgainSeconds, limit, busy)
      return due.map((projectId) => ({ projectId }))
    },
    async look({ projectId }) {
      try {
        const project = await openProject(projectId)
        if (project) await repositories.recordLook(projectId, project.repository, asSeen(await project.host.look()))
      } catch (error) {
        await repositories.hintLook([projectId], lookAgainAfterFailureSeconds).catch(() => {}) // else within the hour
        throw error
      }
    },
    log,
  })
}

function asSeen(look: RepositoryLook): SeenRepository {
  switch (look.kind) {
    case 'usable':
      return { issue: null, id: look.id, owner: look.owner, name: look.name }
    case 'archived':
      return { issue: 'archived', id: look.id, owner: look.owner, name: look.name }
    case 'not_found':
    case 'access_revoked':
      return { issue: look.kind }
  }
}
