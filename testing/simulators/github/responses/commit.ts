import type { Commit, GitIdentity } from '../git.ts'
import type { Account, Repository, State } from '../state.ts'
import { accountResponse, nodeId } from './account.ts'
import { formatGithubTime, repositoryApiUrl, repositoryPageUrl } from './repository.ts'

const personResponse = ({ name, email, date }: GitIdentity) => ({ name, email, date: formatGithubTime(date) })

function verificationResponse(repository: Repository, { sha }: Commit) {
  const signed = repository.signed.get(sha)
  return signed
    ? {
        verified: true,
        reason: 'valid',
        signature: signed.signature,
        payload: `commit ${sha}`,
        verified_at: formatGithubTime(signed.at),
      }
    : { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null }
}

/** A commit of the Git database API. */
export function gitCommitResponse(state: State, repository: Repository, commit: Commit) {
  const url = repositoryApiUrl(state, repository)
  const page = repositoryPageUrl(state, repository)
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: `${url}/git/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    author: personResponse(commit.author),
    committer: personResponse(commit.committer),
    tree: { url: `${url}/git/trees/${commit.tree}`, sha: commit.tree },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/git/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
    verification: verificationResponse(repository, commit),
  }
}

/** The email address by which GitHub recognizes an account as the author of a commit. */
export const emailOf = ({ id, login }: Account): string => `${id}+${login}@users.noreply.github.com`

function accountByEmail(state: State, { email }: GitIdentity) {
  const account = [...state.accounts.values()].find((candidate) => emailOf(candidate) === email)
  return account ? accountResponse(state, account) : null
}

export function commitResponse(state: State, repository: Repository, commit: Commit) {
  const url = repositoryApiUrl(state, repository)
  const page = repositoryPageUrl(state, repository)
  const git = gitCommitResponse(state, repository, commit)
  return {
    sha: commit.sha,
    node_id: git.node_id,
    commit: {
      author: git.author,
      committer: git.committer,
      message: git.message,
      tree: git.tree,
      url: git.url,
      comment_count: 0,
      verification: git.verification,
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: git.html_url,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: accountByEmail(state, commit.author),
    committer: accountByEmail(state, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
  }
}

export const refResponse = (state: State, repository: Repository, ref: string, sha: string, type = 'commit') => ({
  ref,
  node_id: nodeId('Ref', `${repository.id}:${ref}`),
  url: `${repositoryApiUrl(state, repository)}/git/${ref}`,
  object: { sha, type, url: `${repositoryApiUrl(state, repository)}/git/${type}s/${sha}` },
})
