/**
 * Polls repositories, hourly and soon after a webhook: they may be renamed, transferred, archived, deleted or inaccessible. Once a
 * day, and after a change of settings, the site generator is recognized.
 */
import { BareRepository } from '../code-hosts/bare-repository.ts'
import type { CodeHost, RepositoryState } from '../code-hosts/code-host.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import type { ObservedRepository, Repository, RepositoryStore } from '../projects/repository-store.ts'
import type { RecognizedSite } from '../projects/tables.ts'
import { startPoller } from './poller.ts'
import type { ProjectRepositoryOpener } from './project-repository-opener.ts'
import { toChangeRules } from './to-change-rules.ts'

const pollSeconds = 3_600
/** After a failed poll. The code host does not repeat the webhook that may have caused it. */
const retrySeconds = 60
/** A repository rarely changes its site generator, and publishing recognizes it again for every result. */
const siteSeconds = 24 * 3_600
const recognizeTimeoutMs = 120_000

/** If the code host cannot be reached, the recorded state stays. */
export function startRepositoryPoller({
  repositories,
  openProject,
  egress,
  log,
}: {
  repositories: RepositoryStore
  openProject: ProjectRepositoryOpener
  egress: Egress
  log: Log
}): { stop(): Promise<void> } {
  return startPoller({
    subject: 'repositories',
    async claimDue(limit, busy) {
      const due = await repositories.claimDuePolls(pollSeconds, limit, busy)
      return due.map((projectId) => ({ projectId }))
    },
    async poll({ projectId }, signal) {
      try {
        const project = await openProject(projectId, signal)
        if (!project) return
        const observed = toObserved(await project.host.readRepositoryState())
        await repositories.recordPoll(projectId, project.repository, observed)
        if (observed.issue === null && isSiteDue(project.repository)) {
          const site = await recognizeSite(project, egress)
          if (site) await repositories.recordSite(projectId, project.repository, site)
        }
      } catch (error) {
        await repositories.requestPoll([projectId], retrySeconds).catch(() => {}) // else it is polled within the hour
        throw error
      }
    },
    log,
  })
}

const isSiteDue = ({ siteRecognizedAt }: Repository): boolean =>
  siteRecognizedAt === null || Date.now() - siteRecognizedAt.getTime() > siteSeconds * 1000

/** Undefined: the base branch does not exist. */
async function recognizeSite(
  { repository, host }: { repository: Repository; host: CodeHost },
  egress: Egress,
): Promise<RecognizedSite | undefined> {
  const signal = AbortSignal.timeout(recognizeTimeoutMs)
  await using bare = await BareRepository.open({ remote: await host.gitRemote(), egress, signal })
  const site = await bare.recognizeSite(repository.baseBranch, toChangeRules(repository))
  return site && { generator: site.generator, configFile: site.configFile, pagesFolder: site.pagesFolder }
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
