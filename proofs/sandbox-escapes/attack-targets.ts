/** Real targets that a sandbox must not reach: secrets, services, another job. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openEgressSocket } from '../../server/src/runner/sandbox/egress-socket.ts'
import { defaultSandboxLimits } from '../../server/src/runner/sandbox/limits.ts'
import { Sandbox } from '../../server/src/runner/sandbox/sandbox.ts'
import { chooseSandboxUser } from '../../server/src/runner/sandbox/sandbox-process.ts'
import type { ProofRun } from '../proof.ts'

export interface AttackTargets {
  /** Planted in a file and in the environment of the runner. */
  secret: string
  secretName: string
  secretFile: string
  otherJobSeconds: string
  otherEgressDirectory: string
  /** A process of the user that sandboxes run as. */
  victimPid: number
  /** A TCP server on all addresses that responds. */
  tcpPort: number
  udpPort: number
  abstractSocket: string
  sharedMemoryId: string
  postgresPort: string
  giteaUrl: string
  modelUrl: string
  gatewayUrl: string
}

type ServiceTargets = Pick<AttackTargets, 'postgresPort' | 'giteaUrl' | 'modelUrl' | 'gatewayUrl'>

const run = promisify(execFile)

/** A grep pattern that matches the secret without containing it. */
export const secretPattern = 'planted-[0-9a-f]'

export async function createAttackTargets(proof: ProofRun, serviceTargets: ServiceTargets): Promise<AttackTargets> {
  const secret = `planted-${randomBytes(12).toString('hex')}`
  const directory = await mkdtemp(join(tmpdir(), 'colophon-planted-'))
  proof.cleanUp(() => rm(directory, { recursive: true, force: true }))
  const secretFile = join(directory, 'secret.txt')
  await writeFile(secretFile, secret, { mode: 0o644 })
  await run('chmod', ['755', directory])

  const createTcpServer = () => createServer((socket) => socket.on('error', () => {}).write('hello'))
  const anyAddress = createTcpServer()
  const abstractServer = createTcpServer()
  const abstractSocket = `colophon-${randomBytes(6).toString('hex')}`
  await listen(anyAddress, { port: 0, host: '0.0.0.0' })
  await listen(abstractServer, { path: `\0${abstractSocket}` })
  const udp = createSocket('udp4')
  udp.on('message', (_message, from) => udp.send('a response', from.port, from.address))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  proof.cleanUp(async () => [anyAddress.close(), abstractServer.close(), udp.close()])

  const victim = spawn('sleep', ['3600'], { stdio: 'ignore', ...chooseSandboxUser() })
  proof.cleanUp(async () => victim.kill())
  const { stdout } = await run('ipcmk', ['-M', '4096', '-p', '0666'])
  const [sharedMemoryId = ''] = /\d+$/.exec(stdout.trim()) ?? []
  proof.cleanUp(() => run('ipcrm', ['-m', sharedMemoryId]))

  const otherEgress = await openEgressSocket({
    gatewayUrl: serviceTargets.gatewayUrl,
    token: 'none',
    allowedPaths: ['/none/'],
  })
  const otherSandbox = await Sandbox.open({
    mounts: [],
    gatewayDirectory: otherEgress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
  })
  proof.cleanUp(async () => [await otherSandbox.close(), await otherEgress[Symbol.asyncDispose]()])
  const otherJobSeconds = `3600.${Math.floor(Math.random() * 1e6)}`
  otherSandbox.start(
    { command: ['sleep', otherJobSeconds], maxOutputBytes: 1_000 },
    { onOutput: () => {}, onErrorOutput: () => {} },
  )
  return {
    ...serviceTargets,
    secret,
    secretName: 'PLANTED_SECRET',
    secretFile,
    otherJobSeconds,
    otherEgressDirectory: otherEgress.directory,
    victimPid: victim.pid ?? 0,
    abstractSocket,
    sharedMemoryId,
    tcpPort: (anyAddress.address() as AddressInfo).port,
    udpPort: udp.address().port,
  }
}

const listen = (server: Server, address: object) =>
  new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
