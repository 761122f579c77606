/**
 * Loaded into the workers of the proof: names are resolved by the name server of the proof, and connections to other addresses than
 * loopback are blocked, so that nothing leaves the machine.
 */
import { Resolver } from 'node:dns/promises'
import { recordConnectionAttempts } from '../../server/src/platform/egress/testing/connection-attempts.ts'

const server = process.env.PROOF_DNS_SERVER
if (server) {
  for (const method of ['resolve4', 'resolve6'] as const) {
    const original = Resolver.prototype[method] as (this: Resolver, name: string) => Promise<string[]>
    Object.defineProperty(Resolver.prototype, method, {
      value(this: Resolver, name: string) {
        this.setServers([server])
        return original.call(this, name)
      },
    })
  }
  await recordConnectionAttempts()
}
