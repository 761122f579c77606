/**
 * The engines from their vendors' images, where a container engine runs and something would have to be built without it.
 * For development and tests that share engines; proofs that kill and pause them take processes of their own.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { runCommand } from './run-command.ts'
import { isGiteaAtHand } from './start-gitea.ts'
import { startGithub } from './start-github.ts'
import { startModel } from './start-model.ts'
import type { ServiceAddresses } from './start-services.ts'
import { isTemporalAtHand } from './start-temporal.ts'

// As deploy/compose.dev.yml has them.
const postgresUser = { name: 'postgres', password: 'engines-on-loopback' } as const
const giteaAdmin = { name: 'colophon-admin', password: 'engines-on-loopback' } as const

export async function containersServe(): Promise<boolean> {
  if ((isTemporalAtHand() && isGiteaAtHand()) || !findBinary('docker')) return false
  // The client alone is no engine: ask whether one answers.
  const responses = (...args: string[]) =>
    runCommand(['docker', ...args]).then(
      () => true,
      () => false,
    )
  return (await responses('info')) && (await responses('compose', 'version'))
}

export async function startContainers(
  logDirectory: string,
  { say, onStop }: { say: (line: string) => void; onStop: (stop: () => Promise<void>) => void },
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
  const file = join(import.meta.dirname, '../deploy/compose.dev.yml')
  const compose = (...args: string[]) =>
    runCommand(['docker', 'compose', '--project-name', `colophon-${ports.postgres}`, '--file', file, ...args], { env })

  say('starting containers from deploy/compose.dev.yml; the first time their images are fetched (about 2 GB)')
  const model = await startModel(logDirectory)
  const githubDirectory = join(logDirectory, 'github')
  const github = await startGithub(githubDirectory)
  const stop = async () => {
    await model.part.stop()
    await github.part.stop()
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
          adminToken: await makeGiteaToken(giteaUrl),
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

async function makeGiteaToken(url: string): Promise<string> {
  const credentials = Buffer.from(`${giteaAdmin.name}:${giteaAdmin.password}`).toString('base64')
  const response = await fetch(`${url}/api/v1/users/${giteaAdmin.name}/tokens`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `engines-${Date.now()}`, scopes: ['all'] }),
  })
  if (!response.ok) throw new Error(`Gitea gave no token: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { sha1: string }).sha1
}
