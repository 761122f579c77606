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
import { type App, type Installation, newSecret } from '../state.ts'
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

  const requireInstallation = (id: number): Installation => {
    const found = state.installations.get(id)
    if (!found) throw new Error(`There is no installation ${id}.`)
    return found
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

    async installApp(slug, account, repositories, login) {
      const owner = requireAccount(state, account)
      const selected = repositories === 'all' ? null : repositories.map((name) => requireRepository(state, name))
      return installApp(simulator, requireApp(slug), owner, selected, actingPerson(state, owner, login)).id
    },

    async uninstall(id) {
      const installation = requireInstallation(id)
      uninstall(simulator, installation, actingPerson(state, installation.account))
    },

    async suspend(id, isSuspended = true) {
      const installation = requireInstallation(id)
      setInstallationSuspended(simulator, installation, isSuspended, actingPerson(state, installation.account))
    },

    async addToInstallation(id, name) {
      const installation = requireInstallation(id)
      const repository = requireRepository(state, name)
      installation.repositories?.add(repository.id)
      emitInstallationRepositories(
        simulator,
        installation,
        { added: [repository] },
        actingPerson(state, installation.account),
      )
    },

    async removeFromInstallation(id, name) {
      const installation = requireInstallation(id)
      const repository = requireRepository(state, name)
      installation.repositories?.delete(repository.id)
      emitInstallationRepositories(
        simulator,
        installation,
        { removed: [repository] },
        actingPerson(state, installation.account),
      )
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
