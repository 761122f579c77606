import type { RepositoryReference } from '../github-control.ts'
import { type Account, fullName, type PullRequest, type Repository, type State } from '../state.ts'

export function requireAccount(state: State, login: string): Account {
  const account = state.account(login)
  if (!account) throw new Error(`There is no account ${login}.`)
  return account
}

export function requireRepository(state: State, name: RepositoryReference): Repository {
  const [owner = '', shortName = ''] = String(name).split('/')
  const found = typeof name === 'number' ? state.repositories.get(name) : state.repositoryNamed(owner, shortName)
  if (!found) throw new Error(`There is no repository ${name}.`)
  return found
}

export function requirePullRequest(repository: Repository, number: number): PullRequest {
  const found = repository.pullRequests.find((pullRequest) => pullRequest.number === number)
  if (!found) throw new Error(`${fullName(repository)} has no pull request ${number}.`)
  return found
}

/** The named account, otherwise the owner. For an organization, one of its owners. */
export function actingPerson(state: State, owner: Account, login?: string): Account {
  const [someOwner] = owner.owners
  return login ? requireAccount(state, login) : someOwner ? requireAccount(state, someOwner) : owner
}
