import { git } from '../git.ts'
import { mergePullRequest } from '../merge.ts'
import { isLevelAtLeast } from '../permission-levels.ts'
import { diffRange } from '../responses/pull-request.ts'
import { fullName, type PullRequest, type Repository, roleOf } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { html, type PageCall, type PageResponse, page, pageNotFound, redirect, redirectToSignIn } from './page.ts'

/** Finds a repository that the person may see. A private one does not exist for others. */
function findVisibleRepository(
  { state }: SimulatorContext,
  { user }: PageCall,
  owner: string,
  name: string,
): Repository | undefined {
  const repository = state.repositoryNamed(owner, name) ?? state.repositoryFormerlyNamed(owner, name)
  if (!repository) return undefined
  return !repository.isPrivate || (user && roleOf(repository, user)) ? repository : undefined
}

const stateLabel = ({ state, merged }: PullRequest) => (merged ? 'Merged' : state === 'open' ? 'Open' : 'Closed')

export function handleRepositoryPage(
  simulator: SimulatorContext,
  call: PageCall,
  owner: string,
  name: string,
): PageResponse {
  const repository = findVisibleRepository(simulator, call, owner, name)
  if (!repository) return call.user ? pageNotFound() : redirectToSignIn(call)
  const pullRequests = repository.pullRequests.map(
    (pullRequest) =>
      html`<li><a href="/${fullName(repository)}/pull/${pullRequest.number}">${pullRequest.title}</a> ${stateLabel(pullRequest)}</li>`,
  )
  const branches = [...repository.branches.keys()].map((branch) => html`<li>${branch}</li>`)
  return page(
    fullName(repository),
    html`<h2>Pull requests</h2><ul>${pullRequests}</ul><h2>Branches</h2><ul>${branches}</ul>`,
  )
}

export async function handlePullRequestPage(
  simulator: SimulatorContext,
  call: PageCall,
  owner: string,
  name: string,
  number: string,
): Promise<PageResponse> {
  const repository = findVisibleRepository(simulator, call, owner, name)
  const pullRequest = repository?.pullRequests.find((candidate) => candidate.number === Number(number))
  if (!repository || !pullRequest) return call.user ? pageNotFound() : redirectToSignIn(call)
  const path = `/${fullName(repository)}/pull/${number}`
  const merger =
    call.user && pullRequest.state === 'open' && isLevelAtLeast(roleOf(repository, call.user), 'write')
      ? call.user
      : undefined
  if (call.method === 'POST') {
    if (!merger) return pageNotFound()
    const merge = await mergePullRequest(simulator, repository, pullRequest, merger)
    if (merge.kind === 'merged') return redirect(path)
    return page('Merge failed', html`<p role="alert">This branch has conflicts that must be resolved.</p>`, 409)
  }
  const { from } = await diffRange(repository, pullRequest)
  const diff = await git(repository.directory, ['diff', from, pullRequest.headSha])
  const comments = repository.comments
    .filter((comment) => comment.number === pullRequest.number)
    .map((comment) => html`<article><p>${comment.author.login}</p><pre>${comment.body}</pre></article>`)
  const mergeForm = call.url.searchParams.has('confirm')
    ? html`<form method="post" action="${path}"><button>Confirm merge</button></form>`
    : html`<form method="get" action="${path}"><button name="confirm" value="1">Merge pull request</button></form>`
  return page(
    pullRequest.title,
    html`<p>${stateLabel(pullRequest)}: ${pullRequest.author.login} wants to merge into ${pullRequest.baseBranch} from ${pullRequest.headBranch}</p>
<pre>${pullRequest.body ?? ''}</pre>
${comments}
${merger ? mergeForm : ''}
<h2>Files changed</h2>
<pre>${diff}</pre>`,
  )
}
