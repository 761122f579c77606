import {
  type AppManifest,
  createApp,
  emitInstallationRepositories,
  installApp,
  manifestErrors,
  setInstallationSuspended,
  uninstall,
} from '../apps.ts'
import type { AppControl } from '../github-control.ts'
import { type App, newSecret } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { actingPerson, requireAccount, requireRepository } from './lookups.ts'

const userTokenSeconds = 28_800

export function createAppControl(simulator: SimulatorContext): AppControl {
  const { state } = simulator

  const requireApp = (slug: string): App => {
    const found = [...state.apps.values()].find((app) => app.slug === slug)
    if (!found) throw new Error(`There is no App ${slug}.`)
    return found
  }

  /** The installation, and the person who acts on it: the owner of its account. */
  const findInstallation = (id: number) => {
    const installation = state.installations.get(id)
    if (!installation) throw new Error(`There is no installation ${id}.`)
    return { installation, by: actingPerson(state, { owner: installation.account }) }
  }

  return {
    async createApp(owner, manifest: AppManifest) {
      const name = manifest.name ?? ''
      const faults = manifestErrors(state, manifest, name)
      if (faults.length > 0) throw new Error(faults.join('; '))
      const app = createApp(state, requireAccount(state, owner), manifest, name)
      return {
        id: app.id,
        slug: app.slug,
        name: app.name,
        clientId: app.clientId,
        clientSecret: app.clientSecret,
        webhookSecret: app.webhook.secret,
        privateKeyPem: app.privateKeyPem,
      }
    },

    async installApp(slug, account, repositories) {
      const owner = requireAccount(state, account)
      const selected = repositories.map((name) => requireRepository(state, name))
      return installApp(simulator, requireApp(slug), owner, selected, actingPerson(state, { owner })).id
    },

    async uninstall(id) {
      const { installation, by } = findInstallation(id)
      uninstall(simulator, installation, by)
    },

    async suspend(id, isSuspended = true) {
      const { installation, by } = findInstallation(id)
      setInstallationSuspended(simulator, installation, isSuspended, by)
    },

    async addToInstallation(id, name) {
      const { installation, by } = findInstallation(id)
      const repository = requireRepository(state, name)
      installation.repositories?.add(repository.id)
      emitInstallationRepositories(simulator, installation, { added: [repository] }, by)
    },

    async removeFromInstallation(id, name) {
      const { installation, by } = findInstallation(id)
      const repository = requireRepository(state, name)
      installation.repositories?.delete(repository.id)
      emitInstallationRepositories(simulator, installation, { removed: [repository] }, by)
    },

    async createUserToken(slug, login) {
      const token = newSecret('ghu_')
      const expiresAt = new Date(Date.now() + userTokenSeconds * 1000)
      state.tokens.set(token, {
        kind: 'user',
        token,
        expiresAt,
        user: requireAccount(state, login),
        app: requireApp(slug),
      })
      return token
    },
  }
}
