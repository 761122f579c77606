import type { CommitDetails } from '../code-hosts/git/git-repository.ts'
import {
  defaultPublishingTemplates,
  renderBranchName,
  renderCommitMessage,
  renderPullRequest,
} from '../code-hosts/text/pull-request-text.ts'
import type { StoredTurnResult } from '../jobs/turn-results.ts'
import type { TurnToPublish } from '../jobs/turn-store.ts'
import type { PublishingSettings } from '../projects/publishing-settings.ts'

/** Author of our commits. The email address is invalid on purpose: code hosts must not attribute them to a person. */
const identity = { name: 'Colophon', email: 'colophon@localhost.invalid' }

/** What people read on the code host. */
export interface PullRequestTexts {
  /** The name of the branch, if the turn gets a new one. */
  branch: string
  title: string
  body: string
  commit: CommitDetails
}

/** From the project's templates, with agent text neutralized. */
export function renderPullRequestTexts(
  { jobId, startedAt, job }: TurnToPublish,
  result: StoredTurnResult & { newHosts: readonly string[] },
  publishing: PublishingSettings,
): PullRequestTexts {
  const templates = {
    branch: publishing.branchTemplate ?? defaultPublishingTemplates.branch,
    title: publishing.titleTemplate ?? defaultPublishingTemplates.title,
    body: publishing.bodyTemplate ?? defaultPublishingTemplates.body,
  }
  const agentText = { title: job.title ?? result.title, summary: result.summary ?? result.reply }
  const message = renderCommitMessage(
    jobId,
    // Each commit has its own title; the pull request keeps the title that people know it by.
    { ...agentText, title: result.title ?? agentText.title },
    publishing.signOff ? identity : undefined,
  )
  return {
    branch: renderBranchName(templates.branch, jobId, job.branchCount + 1),
    ...renderPullRequest(templates, jobId, agentText, [...new Set([...job.newHosts, ...result.newHosts])].toSorted()),
    commit: { message, identity, date: startedAt },
  }
}
