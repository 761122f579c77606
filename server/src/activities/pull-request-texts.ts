import {
  defaultTemplates,
  renderBranchName,
  renderCommitMessage,
  renderPullRequest,
} from '../code-hosts/text/pull-request-text.ts'
import type { StoredResult } from '../jobs/turn-results.ts'
import type { TurnToPublish } from '../jobs/turn-store.ts'
import type { Repository } from '../projects/repository-store.ts'

/** Who our commits are by. The address is nobody's: hosts must not take it for a person. */
const identity = { name: 'Colophon', email: 'colophon@localhost.invalid' }

/** What people will read on the code host, by the project's templates and made harmless. */
export function pullRequestTexts({
  jobId,
  toPublish,
  result,
  repository: { publishing },
}: {
  jobId: string
  toPublish: TurnToPublish
  result: StoredResult
  repository: Repository
}) {
  const templates = {
    branch: publishing.branchTemplate ?? defaultTemplates.branch,
    title: publishing.titleTemplate ?? defaultTemplates.title,
    body: publishing.bodyTemplate ?? defaultTemplates.body,
  }
  const written = { title: toPublish.job.title ?? result.title, summary: result.summary ?? result.reply }
  return {
    branch: renderBranchName(templates.branch, jobId, toPublish.job.branches + 1),
    ...renderPullRequest(templates, jobId, written),
    // Each commit says what it does; the pull request keeps the title under which people know it.
    commitMessage: renderCommitMessage(
      jobId,
      { ...written, title: result.title ?? written.title },
      publishing.signOff ? identity : undefined,
    ),
    identity,
  }
}
