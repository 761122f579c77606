/**
 * Starts nginx, Caddy and Traefik with the configurations in deploy/proxies, which docs/operations/tls-and-proxies.md shows, in front
 * of one `api` and one gateway, and does through each what clients and runners do. At the small size without Traefik, which has to be
 * built from source.
 */
import { selfSignedCertificate } from '../server/src/platform/egress/testing/certificate.ts'
import { createBrowserClient } from '../testing/harness/browser-client.ts'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { personPassword } from '../testing/harness/people.ts'
import { addScriptedModel } from '../testing/harness/scripted-model.ts'
import type { ProofRun } from './proof.ts'
import { checkClients, opensDashboard } from './reverse-proxies/client-checks.ts'
import type { ProxyFixture } from './reverse-proxies/fixture.ts'
import { runsJobThroughGateway } from './reverse-proxies/gateway-check.ts'
import { keepsEventStreamsOpen, keepsIdleConnection } from './reverse-proxies/long-lived-checks.ts'
import { usesRenewedCertificate } from './reverse-proxies/own-certificate.ts'
import { survivesRestart } from './reverse-proxies/restart-check.ts'
import { gatewayName, type ProxyName, publicName, startProxy } from './reverse-proxies/start-proxies.ts'
import { createLargeExport, transfersLargeBodies } from './reverse-proxies/transfer-checks.ts'

export const guarantee =
  'Behind nginx, Caddy and Traefik, configured as in the docs, clients and runners are served as without a proxy'

/** A proxy usually gives up after a minute without a byte. */
const silenceSeconds = 70

export async function prove(run: ProofRun): Promise<void> {
  const publicUrl = `https://${publicName}`
  const settings = { COLOPHON_PUBLIC_URL: publicUrl, COLOPHON_TRUSTED_PROXIES: '127.0.0.1' }
  const worker = { COLOPHON_JOB_DEADLINE_SECONDS: '600' }
  const colophon = await startColophon(run, 'proxies', { settings, worker })
  await addScriptedModel(colophon, { name: 'model', format: 'anthropic-messages', isDefault: true })
  const fixture = await createFixture(run, colophon, publicUrl)
  const largeExport = await createLargeExport(fixture)

  const certificate = await selfSignedCertificate([publicName, gatewayName])
  const upstreams = { api: new URL(colophon.api.url).host, gateway: new URL(colophon.worker.url).host, certificate }
  const names: readonly ProxyName[] = run.size === 'ci' ? ['nginx', 'Caddy'] : ['nginx', 'Caddy', 'Traefik']
  const proxies = await Promise.all(names.map((name) => startProxy(run, name, upstreams)))
  for (const { name, version } of proxies) run.figure(`version of ${name}`, version)
  for (const proxy of proxies) {
    await checkClients(fixture, proxy)
    await transfersLargeBodies(fixture, proxy, largeExport)
    if (proxy === proxies[0] || run.size !== 'ci') await opensDashboard(fixture, proxy)
    run.log(`${proxy.name}: short requests and large bodies are done`)
  }
  await Promise.all([
    ...proxies.map((proxy) => runsJobThroughGateway(fixture, proxy)),
    ...proxies.map((proxy) => keepsEventStreamsOpen(fixture, proxy)),
    ...proxies.map((proxy) => keepsIdleConnection(fixture, proxy)),
    usesRenewedCertificate(run, colophon),
  ])
  run.log('long requests are done')
  await survivesRestart(fixture, proxies)
}

async function createFixture(run: ProofRun, colophon: RunningColophon, publicUrl: string): Promise<ProxyFixture> {
  const owner = { email: 'first@example.com', password: personPassword }
  const token = await colophon.stores.people.createFirstOwnerToken()
  const { client } = createBrowserClient(colophon.api.url, publicUrl)
  await client.session.createFirstOwner({ token, name: 'The First', ...owner })
  return { run, colophon, project: await colophon.connectProject('Docs'), owner, silenceSeconds }
}
