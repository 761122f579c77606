import {
  type AppManifest,
  createApp,
  installApp,
  manifestFaults,
  suspend,
  tellRepositories,
  uninstall,
} from '../apps.ts'
import type { World } from '../events.ts'
import type { AppControl } from '../github-control.ts'
import { type App, type Installation, newSecret } from '../state.ts'
import { accountNamed, personFor, repositoryNamed } from './lookups.ts'

const userTokenSeconds = 28_800

export function appControl(world: World): AppControl {
  const { state } = world

  const appNamed = (slug: string): App => {
    const found = [...state.apps.values()].find((app) => app.slug === slug)
    if (!found) throw new Error(`There is no App ${slug}.`)
    return found
  }

  const installationNumbered = (id: number): Installation => {
    const found = state.installations.get(id)
    if (!found) throw new Error(`There is no installation ${id}.`)
    return found
  }

  return {
    async makeApp(owner, manifest: AppManifest) {
      const name = manifest.name ?? ''
      const faults = manifestFaults(state, manifest, name)
      if (faults.length > 0) throw new Error(faults.join('; '))
      const app = createApp(state, accountNamed(state, owner), manifest, name)
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
      const owner = accountNamed(state, account)
      const chosen = repositories === 'all' ? null : repositories.map((name) => repositoryNamed(state, name))
      return installApp(world, appNamed(slug), owner, chosen, personFor(state, owner, login)).id
    },

    async uninstall(id) {
      const installation = installationNumbered(id)
      uninstall(world, installation, personFor(state, installation.account))
    },

    async suspend(id, isSuspended = true) {
      const installation = installationNumbered(id)
      suspend(world, installation, isSuspended, personFor(state, installation.account))
    },

    async addToInstallation(id, name) {
      const installation = installationNumbered(id)
      const repository = repositoryNamed(state, name)
      installation.repositories?.add(repository.id)
      tellRepositories(world, installation, { added: [repository] }, personFor(state, installation.account))
    },

    async removeFromInstallation(id, name) {
      const installation = installationNumbered(id)
      const repository = repositoryNamed(state, name)
      installation.repositories?.delete(repository.id)
      tellRepositories(world, installation, { removed: [repository] }, personFor(state, installation.account))
    },

    async makeUserToken(slug, login) {
      const token = newSecret('ghu_')
      const expiresAt = new Date(Date.now() + userTokenSeconds * 1000)
      state.tokens.set(token, { kind: 'user', token, expiresAt, user: accountNamed(state, login), app: appNamed(slug) })
      return token
    },
  }
}
