/** Starts the GitHub simulator as a process, with its repositories in a directory. */
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { getDescriptionsDirectory } from './github/descriptions.ts'
import type { GithubSimulatorAccess } from './github/github-control.ts'
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
      join(import.meta.dirname, 'github/server.ts'),
      '--port',
      String(port),
      '--directory',
      directory,
      `--admin-token=${address.adminToken}`,
      ...(tls ? ['--tls-key', tls.keyFile, '--tls-cert', tls.certFile] : []),
    ],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME },
    logFile: join(directory, '..', 'github.log'),
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
