import {
  defaultPublishingTemplates,
  renderBranchName,
  renderCommitMessage,
  renderPullRequest,
} from '../code-hosts/text/pull-request-text.ts'
import type { StoredTurnResult } from '../jobs/turn-results.ts'
import type { TurnToPublish } from '../jobs/turn-store.ts'
import type { Repository } from '../projects/repository-store.ts'

/** Author of our commits. The email address is invalid on purpose: code hosts must not attribute them to a person. */
const identity = { name: 'Colophon', email: 'colophon@localhost.invalid' }

/** Renders what people read on the code host, from the project's templates, with agent text neutralized. */
export function renderPullRequestTexts({
  jobId,
  toPublish,
  result,
  repository: { publishing },
}: {
  jobId: string
  toPublish: TurnToPublish
  result: StoredTurnResult
  repository: Repository
}) {
  const templates = {
    branch: publishing.branchTemplate ?? defaultPublishingTemplates.branch,
    title: publishing.titleTemplate ?? defaultPublishingTemplates.title,
    body: publishing.bodyTemplate ?? defaultPublishingTemplates.body,
  }
  const agentText = { title: toPublish.job.title ?? result.title, summary: result.summary ?? result.reply }
  return {
    branch: renderBranchName(templates.branch, jobId, toPublish.job.branchCount + 1),
    ...renderPullRequest(templates, jobId, agentText),
    // Each commit has its own title; the pull request keeps the title that people know it by.
    commitMessage: renderCommitMessage(
      jobId,
      { ...agentText, title: result.title ?? agentText.title },
      publishing.signOff ? identity : undefined,
    ),
    identity,
  }
}
