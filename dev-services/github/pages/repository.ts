import { rangeOf } from '../answers/pull-request.ts'
import type { World } from '../events.ts'
import { git } from '../git.ts'
import { atLeast } from '../levels.ts'
import { mergePullRequest } from '../merge.ts'
import { fullName, type PullRequest, type Repository, roleOf } from '../state.ts'
import { html, type PageCall, type PageResponse, page, pageNotFound, redirect, signInFirst } from './page.ts'

/** What the person may see of it; a private one does not exist for strangers. */
function repositoryOf({ state }: World, { user }: PageCall, owner: string, name: string): Repository | undefined {
  const repository = state.repositoryNamed(owner, name) ?? state.repositoryFormerlyNamed(owner, name)
  if (!repository) return undefined
  return !repository.isPrivate || (user && roleOf(repository, user)) ? repository : undefined
}

const stateOf = ({ state, merged }: PullRequest) => (merged ? 'Merged' : state === 'open' ? 'Open' : 'Closed')

export function repositoryPage(world: World, call: PageCall, owner: string, name: string): PageResponse {
  const repository = repositoryOf(world, call, owner, name)
  if (!repository) return call.user ? pageNotFound() : signInFirst(call)
  const pullRequests = repository.pullRequests.map(
    (one) => html`<li><a href="/${fullName(repository)}/pull/${one.number}">${one.title}</a> ${stateOf(one)}</li>`,
  )
  const branches = [...repository.branches.keys()].map((branch) => html`<li>${branch}</li>`)
  return page(
    fullName(repository),
    html`<h2>Pull requests</h2><ul>${pullRequests}</ul><h2>Branches</h2><ul>${branches}</ul>`,
  )
}

export async function pullRequestPage(
  world: World,
  call: PageCall,
  owner: string,
  name: string,
  number: string,
): Promise<PageResponse> {
  const repository = repositoryOf(world, call, owner, name)
  const pullRequest = repository?.pullRequests.find((one) => one.number === Number(number))
  if (!repository || !pullRequest) return call.user ? pageNotFound() : signInFirst(call)
  const path = `/${fullName(repository)}/pull/${number}`
  const mayMerge =
    call.user && pullRequest.state === 'open' && atLeast(roleOf(repository, call.user), 'write') ? call.user : undefined
  if (call.method === 'POST') {
    if (!mayMerge) return pageNotFound()
    const merge = await mergePullRequest(world, repository, pullRequest, mayMerge)
    if (merge.kind === 'merged') return redirect(path)
    return page('Merge failed', html`<p role="alert">This branch has conflicts that must be resolved.</p>`, 409)
  }
  const { from } = await rangeOf(repository, pullRequest)
  const diff = await git(repository.directory, ['diff', from, pullRequest.headSha])
  const comments = repository.comments
    .filter((comment) => comment.number === pullRequest.number)
    .map((comment) => html`<article><p>${comment.author.login}</p><pre>${comment.body}</pre></article>`)
  const merge = call.url.searchParams.has('confirm')
    ? html`<form method="post" action="${path}"><button>Confirm merge</button></form>`
    : html`<form method="get" action="${path}"><button name="confirm" value="1">Merge pull request</button></form>`
  return page(
    pullRequest.title,
    html`<p>${stateOf(pullRequest)}: ${pullRequest.author.login} wants to merge into ${pullRequest.baseBranch} from ${pullRequest.headBranch}</p>
<pre>${pullRequest.body ?? ''}</pre>
${comments}
${mayMerge ? merge : ''}
<h2>Files changed</h2>
<pre>${diff}</pre>`,
  )
}
