import type { RepositoryReference } from '../github-control.ts'
import type { Account, Repository, State } from '../state.ts'

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

/** The owner. For an organization, one of its owners. */
export function actingPerson(state: State, { owner }: { owner: Account }): Account {
  const [someOwner] = owner.owners
  return someOwner ? requireAccount(state, someOwner) : owner
}
