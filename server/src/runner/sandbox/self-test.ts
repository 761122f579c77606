/**
 * At its start the runner opens a box and tries to get out of it. It takes no turn while a wall is missing: a kernel, a
 * container engine or an operator may have taken one away without anybody noticing.
 */
import { readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Box } from './box.ts'
import { hiddenFiles, mountPoints, writable } from './bubblewrap.ts'
import { BoxError, type BoxOptions } from './enclosure.ts'
import type { Breach, Outside } from './inside/try-walls.ts'
import { boxLimits } from './limits.ts'
import { findProgram, ProgramMissing } from './programs.ts'
import { type Wall, walls } from './walls.ts'
import { openWayOut } from './way-out.ts'

export type SelfTest = { kind: 'held' } | { kind: 'failed'; failures: readonly Failure[] }

/** `box`: there is none to try. `way out`: nobody gets in or out, not even the engine. */
export interface Failure {
  wall: Wall | 'box' | 'way out'
  saw: string
}

/** Takes about a second. */
export async function testSandbox(options: BoxDeps): Promise<SelfTest> {
  const failures: Failure[] = []
  try {
    for (const program of ['git', 'rg', 'prlimit'] as const) findProgram(program)
    failures.push(...(await tryWalls(walls, options)))
    // What the filter of system calls refuses as well is tried without it, or one wall would hide that the other is gone.
    const without = new Set<Wall>([...(options.without ?? []), 'system calls'])
    failures.push(...(await tryWalls(['user namespaces'], { ...options, without })))
  } catch (error) {
    if (!(error instanceof BoxError || error instanceof ProgramMissing)) throw error
    failures.push({ wall: 'box', saw: error.message })
  }
  return failures.length === 0 ? { kind: 'held' } : { kind: 'failed', failures }
}

type BoxDeps = Pick<BoxOptions, 'mounts' | 'groups' | 'without'>

async function tryWalls(tried: readonly Wall[], options: BoxDeps): Promise<Failure[]> {
  await using host = await listenOnLoopback()
  await using wayOut = await openWayOut({ ...host, token: 'none', paths: ['/reach', '/stay'] })
  await using box = await Box.open({ ...options, gatewayDirectory: wayOut.directory })
  const { end, output, errorOutput } = await box.run({
    command: ['node', '/colophon/sandbox/inside/try-walls.ts', JSON.stringify(outside(tried, host.port, options))],
    maxOutputBytes: 100_000,
  })
  if (end.kind !== 'exited' || end.code !== 0)
    throw new BoxError(`The walls could not be tried: ${end.kind} ${errorOutput.toString('utf8').slice(-1_000)}`)

  const failures: Failure[] = JSON.parse(output.toString('utf8')) as Breach[]
  if (!host.reached) failures.push({ wall: 'way out', saw: 'the gateway cannot be reached from inside' })
  if (!tried.includes('processes')) return failures
  const stayed = await withinSeconds(20, host.somebodyCame) // on a busy machine a program takes its time to begin
  await box.close()
  if (!stayed) failures.push({ wall: 'processes', saw: 'it could not be tried in 20 s: the machine is too busy' })
  else if (!(await withinSeconds(10, host.nobodyIsLeft)))
    failures.push({ wall: 'processes', saw: 'one outlived the box' })
  return failures
}

function outside(tried: readonly Wall[], loopbackPort: number, { mounts }: BoxDeps): Outside {
  const namespace = (kind: string) => readlinkSync(`/proc/self/ns/${kind}`)
  return {
    walls: tried,
    loopbackPort,
    namespaces: {
      pid: namespace('pid'),
      net: namespace('net'),
      ipc: namespace('ipc'),
      uts: namespace('uts'),
      cgroup: namespace('cgroup'),
    },
    mountPoints: [...mountPoints, ...mounts.map(({ to }) => to)],
    hiddenFiles: hiddenFiles(),
    sizes: Object.fromEntries(
      Object.entries(writable).map(([name, path]) => [path, boxLimits[name as keyof typeof writable]]),
    ),
    processes: boxLimits.processes,
    processMemoryBytes: boxLimits.processMemoryBytes,
  }
}

/** Plays the gateway, and a service of the host that only listens on 127.0.0.1. */
async function listenOnLoopback() {
  const came = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const host = {
    reached: false,
    somebodyCame: came.promise,
    nobodyIsLeft: left.promise,
    port: 0,
    gatewayUrl: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((request, response) => {
    if (request.url === '/stay') {
      came.resolve()
      response.once('close', left.resolve)
      return
    }
    host.reached = true
    response.end()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  host.port = (server.address() as AddressInfo).port
  host.gatewayUrl = `http://127.0.0.1:${host.port}`
  return host
}

const withinSeconds = (seconds: number, promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(seconds * 1_000, false, { ref: false })])
