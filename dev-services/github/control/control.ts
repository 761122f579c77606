/** The server side of the control API in `github-control.ts`. */
import type { Deliveries } from '../deliveries.ts'
import type { World } from '../events.ts'
import type { Faults } from '../faults.ts'
import type { GithubControl } from '../github-control.ts'
import { accountControl } from './accounts.ts'
import { appControl } from './apps.ts'
import { checkControl } from './checks.ts'
import { requireAccount } from './lookups.ts'
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
      return deliveries.sent.filter((delivery) => account === undefined || delivery.account === account)
    },

    async setFaults(login, accountFaults) {
      faults.set(requireAccount(state, login), accountFaults)
    },

    async redeliver(id) {
      if (!deliveries.redeliver(id)) throw new Error(`There is no delivery ${id}.`)
    },
  }
}
