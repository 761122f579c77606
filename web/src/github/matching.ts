import type { GithubRepository } from '@colophon/sdk'

/** Those with every word of what was typed in their names, in whatever order. */
export function matching(repositories: readonly GithubRepository[], sought: string): readonly GithubRepository[] {
  const words = sought.toLowerCase().split(/\s+/)
  return repositories.filter(({ owner, name }) => {
    const whole = `${owner}/${name}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
