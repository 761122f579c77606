/** The server side of the control API in `github-control.ts`. */

import type { FaultInjector } from '../fault-injector.ts'
import type { GithubControl } from '../github-control.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import type { WebhookSender } from '../webhook-sender.ts'
import { createAccountControl } from './accounts.ts'
import { createAppControl } from './apps.ts'
import { createCheckControl } from './checks.ts'
import { requireAccount } from './lookups.ts'
import { createPullRequestControl } from './pull-requests.ts'
import { createRepositoryControl } from './repositories.ts'

export function createGithubControl(
  simulator: SimulatorContext,
  deliveries: WebhookSender,
  faults: FaultInjector,
): GithubControl {
  const { state } = simulator
  return {
    ...createAccountControl(simulator),
    ...createRepositoryControl(simulator),
    ...createPullRequestControl(simulator),
    ...createCheckControl(simulator),
    ...createAppControl(simulator),

    async calls() {
      return state.calls
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
