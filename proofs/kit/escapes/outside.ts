/** What a box should not reach, and that is there to be reached: secrets, services, other jobs. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Box } from '../../../server/src/runner/sandbox/box.ts'
import { boxUser } from '../../../server/src/runner/sandbox/enclosure.ts'
import { openWayOut } from '../../../server/src/runner/sandbox/way-out.ts'
import type { ProofRun } from '../../proof.ts'

export interface Outside {
  /** Planted in a file and in the environment of the runner. */
  secret: string
  secretName: string
  secretFile: string
  otherJobMarker: string
  otherWayOut: string
  /** A process of the user that boxes run as. */
  victimPid: number
  /** Somebody listens there on every address, and answers. */
  port: number
  udpPort: number
  abstractSocket: string
  sharedMemoryId: string
  postgresPort: string
  giteaUrl: string
  modelUrl: string
  gatewayUrl: string
}

type Addresses = Pick<Outside, 'postgresPort' | 'giteaUrl' | 'modelUrl' | 'gatewayUrl'>

const run = promisify(execFile)

/** What finds the secret, for grep, without being it. */
export const plantedPattern = 'planted-[0-9a-f]'

export async function plantOutside(proof: ProofRun, addresses: Addresses): Promise<Outside> {
  const secret = `planted-${randomBytes(12).toString('hex')}`
  const directory = await mkdtemp(join(tmpdir(), 'colophon-planted-'))
  proof.cleanUp(() => rm(directory, { recursive: true, force: true }))
  const secretFile = join(directory, 'secret.txt')
  await writeFile(secretFile, secret, { mode: 0o644 })
  await run('chmod', ['755', directory])

  const response = () => createServer((socket) => socket.on('error', () => {}).write('hello'))
  const everywhere = response()
  const abstract = response()
  const abstractSocket = `colophon-${randomBytes(6).toString('hex')}`
  await listen(everywhere, { port: 0, host: '0.0.0.0' })
  await listen(abstract, { path: `\0${abstractSocket}` })
  const udp = createSocket('udp4')
  udp.on('message', (_message, from) => udp.send('an answer', from.port, from.address))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  proof.cleanUp(async () => [everywhere.close(), abstract.close(), udp.close()])

  const victim = spawn('sleep', ['3600'], { stdio: 'ignore', ...boxUser() })
  proof.cleanUp(async () => victim.kill())
  const { stdout } = await run('ipcmk', ['-M', '4096', '-p', '0666'])
  const [sharedMemoryId = ''] = /\d+$/.exec(stdout.trim()) ?? []
  proof.cleanUp(() => run('ipcrm', ['-m', sharedMemoryId]))

  const other = await openWayOut({ gatewayUrl: addresses.gatewayUrl, token: 'none', paths: ['/none/'] })
  const otherBox = await Box.open({ mounts: [], gatewayDirectory: other.directory, groups: undefined })
  proof.cleanUp(async () => [await otherBox.close(), await other[Symbol.asyncDispose]()])
  const otherJobMarker = `3600.${Math.floor(Math.random() * 1e6)}`
  otherBox.start(
    { command: ['sleep', otherJobMarker], maxOutputBytes: 1_000 },
    { onOutput: () => {}, onErrorOutput: () => {} },
  )
  return {
    ...addresses,
    secret,
    secretName: 'PLANTED_SECRET',
    secretFile,
    otherJobMarker,
    otherWayOut: other.directory,
    victimPid: victim.pid ?? 0,
    abstractSocket,
    sharedMemoryId,
    port: (everywhere.address() as AddressInfo).port,
    udpPort: udp.address().port,
  }
}

const listen = (server: Server, where: object) =>
  new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve))
