/** Starts the GitHub simulator as a process, with its repositories in a directory. */
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GithubSimulatorAccess } from '@colophon/github-simulator/control'
import { getDescriptionsDirectory } from '@colophon/github-simulator/descriptions'
import { freePort } from './free-port.ts'
import { ManagedProcess } from './managed-process.ts'
import { randomPassword } from './random-password.ts'

export interface RunningGithubSimulator {
  process: ManagedProcess
  address: GithubSimulatorAccess
}

export async function startGithubSimulator(
  directory: string,
  tls?: { keyFile: string; certFile: string },
): Promise<RunningGithubSimulator> {
  await getDescriptionsDirectory()
  await mkdir(directory, { recursive: true })
  const port = await freePort()
  const address = { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, adminToken: randomPassword() }
  const managedProcess = new ManagedProcess({
    name: 'github',
    command: [
      process.execPath,
      fileURLToPath(import.meta.resolve('@colophon/github-simulator/server')),
      '--port',
      String(port),
      '--directory',
      directory,
      `--admin-token=${address.adminToken}`,
      ...(tls ? ['--tls-key', tls.keyFile, '--tls-cert', tls.certFile] : []),
    ],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME },
    logFile: join(directory, '../..', 'github.log'),
    isReady: () => isListening(port),
    readyWithinSeconds: 30,
  })
  await managedProcess.start()
  return { process: managedProcess, address }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
