import type { World } from '../events.ts'
import type { AccountControl } from '../github-control.ts'
import { newSecret } from '../state.ts'
import { accountNamed, repositoryNamed } from './lookups.ts'

const dayMs = 86_400_000

export function accountControl({ state }: World): AccountControl {
  return {
    async makeUser(login, { isBot = false, password = 'password' } = {}) {
      const { id } = state.addAccount(login, isBot ? 'Bot' : 'User', password)
      return { id, login }
    },

    async makeOrganization(login, owners) {
      for (const owner of owners) accountNamed(state, owner)
      const { id } = state.addAccount(login, 'Organization', '', owners)
      return { id, login }
    },

    async makeFineGrainedToken(login, { repositories, permissions, expiresInSeconds }) {
      if ('checks' in permissions) {
        throw new Error(
          'GitHub has no permission for checks to give to such tokens: they see those of public repositories.',
        )
      }
      const token = newSecret('github_pat_')
      state.tokens.set(token, {
        kind: 'fine_grained',
        token,
        user: accountNamed(state, login),
        repositories: new Set(repositories.map((name) => repositoryNamed(state, name).id)),
        permissions,
        expiresAt: new Date(Date.now() + (expiresInSeconds === undefined ? dayMs : expiresInSeconds * 1000)),
      })
      return token
    },

    async expireTokens(login) {
      const account = login === undefined ? undefined : accountNamed(state, login)
      for (const [text, token] of state.tokens) {
        const owner = token.kind === 'installation' ? token.installation.account : token.user
        if (account === undefined || owner === account) state.tokens.delete(text)
      }
    },
  }
}
