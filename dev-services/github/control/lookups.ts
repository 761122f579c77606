import type { RepositoryName } from '../github-control.ts'
import { type Account, fullName, type PullRequest, type Repository, type State } from '../state.ts'

export function accountNamed(state: State, login: string): Account {
  const account = state.account(login)
  if (!account) throw new Error(`There is no account ${login}.`)
  return account
}

export function repositoryNamed(state: State, name: RepositoryName): Repository {
  const [owner = '', short = ''] = String(name).split('/')
  const found = typeof name === 'number' ? state.repositories.get(name) : state.repositoryNamed(owner, short)
  if (!found) throw new Error(`There is no repository ${name}.`)
  return found
}

export function pullRequestNumbered(repository: Repository, number: number): PullRequest {
  const found = repository.pullRequests.find((pullRequest) => pullRequest.number === number)
  if (!found) throw new Error(`${fullName(repository)} has no pull request ${number}.`)
  return found
}

/** Whoever is named, else the owner: of an organization one of its people. */
export function personFor(state: State, owner: Account, login?: string): Account {
  const [someOwner] = owner.owners
  return login ? accountNamed(state, login) : someOwner ? accountNamed(state, someOwner) : owner
}
