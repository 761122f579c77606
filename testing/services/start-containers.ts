/**
 * Starts the services from their vendors' images, if Docker is running and a service would otherwise have to be built.
 * For development and for tests that share services. Proofs that kill or pause services start their own processes.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findContainerRuntime } from './containers/container-runtime.ts'
import { freePort } from './free-port.ts'
import { runCommand } from './run-command.ts'
import { isGiteaAvailable } from './start-gitea.ts'
import { startGithubSimulator } from './start-github-simulator.ts'
import { startModelSimulator } from './start-model-simulator.ts'
import type { ServiceAddresses } from './start-services.ts'
import { isTemporalAvailable } from './start-temporal.ts'

// Must match deploy/compose.dev.yml.
const postgresUser = { name: 'postgres', password: 'services-on-loopback' } as const
const giteaAdmin = { name: 'colophon-admin', password: 'services-on-loopback' } as const

export async function canUseContainers(): Promise<boolean> {
  if (isTemporalAvailable() && isGiteaAvailable()) return false
  return (await findContainerRuntime()) !== undefined
}

export async function startContainers(
  logDirectory: string,
  { log, onStop }: { log: (line: string) => void; onStop: (stop: () => Promise<void>) => void },
): Promise<{ addresses: ServiceAddresses; stop(): Promise<void> }> {
  const ports = {
    postgres: await freePort(),
    temporal: await freePort(),
    clickhouse: await freePort(),
    gitea: await freePort(),
  }
  const env = {
    ...process.env,
    ...Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [`COLOPHON_DEV_${name.toUpperCase()}_PORT`, String(port)]),
    ),
  }
  const file = join(import.meta.dirname, '../../deploy/compose.dev.yml')
  const compose = (...args: string[]) =>
    runCommand(['docker', 'compose', '--project-name', `colophon-${ports.postgres}`, '--file', file, ...args], { env })

  log('starting containers from deploy/compose.dev.yml; the first start pulls about 2 GB of images')
  const model = await startModelSimulator(logDirectory)
  const githubDirectory = join(logDirectory, 'github')
  const github = await startGithubSimulator(githubDirectory)
  const stop = async () => {
    await model.process.stop()
    await github.process.stop()
    await rm(githubDirectory, { recursive: true, force: true })
    await compose('down', '--volumes', '--timeout', '10')
  }
  onStop(stop)
  try {
    await compose('up', '--detach', '--wait')
    const giteaUrl = `http://127.0.0.1:${ports.gitea}`
    return {
      addresses: {
        postgresUrl: `postgres://${postgresUser.name}:${postgresUser.password}@127.0.0.1:${ports.postgres}/postgres`,
        temporalAddress: `127.0.0.1:${ports.temporal}`,
        clickhouseUrl: `http://127.0.0.1:${ports.clickhouse}`,
        gitea: {
          url: giteaUrl,
          adminName: giteaAdmin.name,
          adminPassword: giteaAdmin.password,
          adminToken: await createGiteaToken(giteaUrl),
        },
        github: github.address,
        modelUrl: model.url,
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function createGiteaToken(url: string): Promise<string> {
  const credentials = Buffer.from(`${giteaAdmin.name}:${giteaAdmin.password}`).toString('base64')
  const response = await fetch(`${url}/api/v1/users/${giteaAdmin.name}/tokens`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `services-${Date.now()}`, scopes: ['all'] }),
  })
  if (!response.ok) throw new Error(`Gitea did not create an access token: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { sha1: string }).sha1
}
