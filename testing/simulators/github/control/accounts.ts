import type { AccountControl } from '../github-control.ts'
import { newSecret } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { requireAccount, requireRepository } from './lookups.ts'

const dayMs = 86_400_000

export function createAccountControl({ state }: SimulatorContext): AccountControl {
  return {
    async createUser(login, { isBot = false, password = 'password' } = {}) {
      const { id } = state.addAccount(login, isBot ? 'Bot' : 'User', password)
      return { id, login }
    },

    async createOrganization(login, owners) {
      for (const owner of owners) requireAccount(state, owner)
      const { id } = state.addAccount(login, 'Organization', '', owners)
      return { id, login }
    },

    async createFineGrainedToken(login, { repositories, permissions, expiresInSeconds }) {
      if ('checks' in permissions) {
        throw new Error(
          'Fine-grained tokens cannot have the permission `checks`. They can read the checks of public repositories.',
        )
      }
      const token = newSecret('github_pat_')
      state.tokens.set(token, {
        kind: 'fine_grained',
        token,
        user: requireAccount(state, login),
        repositories: new Set(repositories.map((name) => requireRepository(state, name).id)),
        permissions,
        expiresAt: new Date(Date.now() + (expiresInSeconds === undefined ? dayMs : expiresInSeconds * 1000)),
      })
      return token
    },

    async expireTokens(login) {
      const account = requireAccount(state, login)
      for (const [text, token] of state.tokens) {
        const owner = token.kind === 'installation' ? token.installation.account : token.user
        if (owner === account) state.tokens.delete(text)
      }
    },
  }
}
