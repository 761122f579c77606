/** What `github-control.ts` asks for. */
import type { Deliveries } from '../deliveries.ts'
import type { World } from '../events.ts'
import type { Faults } from '../faults.ts'
import type { GithubControl } from '../github-control.ts'
import { accountControl } from './accounts.ts'
import { appControl } from './apps.ts'
import { checkControl } from './checks.ts'
import { accountNamed } from './lookups.ts'
import { pullRequestControl } from './pull-requests.ts'
import { repositoryControl } from './repositories.ts'

export function createControl(world: World, deliveries: Deliveries, faults: Faults): GithubControl {
  const { state } = world
  return {
    ...accountControl(world),
    ...repositoryControl(world),
    ...pullRequestControl(world),
    ...checkControl(world),
    ...appControl(world),

    async calls(since = 0) {
      return state.calls.filter(({ sequence }) => sequence > since)
    },

    async violations() {
      return state.violations
    },

    async deliveries(account) {
      await deliveries.settled()
      return deliveries.sent.filter((one) => account === undefined || one.account === account)
    },

    async faults(login, wanted) {
      faults.set(accountNamed(state, login), wanted)
    },

    async redeliver(id) {
      if (!deliveries.redeliver(id)) throw new Error(`There is no delivery ${id}.`)
    },
  }
}
