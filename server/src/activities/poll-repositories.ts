/** Polls repositories, hourly and soon after a webhook: they may be renamed, transferred, archived, deleted or inaccessible. */
import type { RepositoryState } from '../code-hosts/code-host.ts'
import type { Log } from '../platform/log.ts'
import type { ObservedRepository, RepositoryStore } from '../projects/repository-store.ts'
import { startPoller } from './poller.ts'
import type { ProjectRepositoryOpener } from './project-repository-opener.ts'

const pollSeconds = 3_600
/** After a failed poll. The code host does not repeat the webhook that may have caused it. */
const retrySeconds = 60

/** If the code host cannot be reached, the recorded state stays. */
export function startRepositoryPoller({
  repositories,
  openProject,
  log,
}: {
  repositories: RepositoryStore
  openProject: ProjectRepositoryOpener
  log: Log
}): { stop(): Promise<void> } {
  return startPoller({
    subject: 'repositories',
    async claimDue(limit, busy) {
      const due = await repositories.claimDuePolls(pollSeconds, limit, busy)
      return due.map((projectId) => ({ projectId }))
    },
    async poll({ projectId }) {
      try {
        const project = await openProject(projectId)
        if (project)
          await repositories.recordPoll(
            projectId,
            project.repository,
            toObserved(await project.host.readRepositoryState()),
          )
      } catch (error) {
        await repositories.requestPoll([projectId], retrySeconds).catch(() => {}) // else it is polled within the hour
        throw error
      }
    },
    log,
  })
}

function toObserved(polled: RepositoryState): ObservedRepository {
  switch (polled.kind) {
    case 'usable':
      return { issue: null, id: polled.id, owner: polled.owner, name: polled.name }
    case 'archived':
      return { issue: 'archived', id: polled.id, owner: polled.owner, name: polled.name }
    case 'not_found':
    case 'access_revoked':
      return { issue: polled.kind }
  }
}
