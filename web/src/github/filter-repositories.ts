import type { GithubRepository } from '@colophon/sdk'

/** Returns the repositories whose names contain every word of the query, in any order. */
export function filterRepositories(
  repositories: readonly GithubRepository[],
  query: string,
): readonly GithubRepository[] {
  const words = query.toLowerCase().split(/\s+/)
  return repositories.filter(({ owner, name }) => {
    const fullName = `${owner}/${name}`.toLowerCase()
    return words.every((word) => fullName.includes(word))
  })
}
