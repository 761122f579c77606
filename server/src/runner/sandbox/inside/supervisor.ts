/**
 * The supervisor: the first program in the sandbox. It starts commands for the runner, relays their input and output, and
 * forwards 127.0.0.1:8080 to the egress socket. It is not an isolation layer: other processes in the sandbox could forge what it
 * reports, so the runner does not trust it. When it exits, the kernel kills every other process in the sandbox.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  encodeFrame,
  type Frame,
  FrameReader,
  frameKinds,
  type ProcessEndedReport,
  type StartProcessRequest,
} from '../frames.ts'

const gatewaySocket = '/run/gateway/gateway.sock'
const forwardedPort = 8080
const maxConnections = 64
const flushDelayMs = 200
const maxKillMs = 20_000

const children = new Map<number, ChildProcess>()

function send(kind: number, processNumber: number, payload?: Uint8Array): void {
  if (process.stdout.write(encodeFrame(kind, processNumber, payload))) return
  for (const child of children.values()) {
    child.stdout?.pause() // backpressure: the runner reads more slowly than the commands write
    child.stderr?.pause()
  }
}
process.stdout.on('drain', () => {
  for (const child of children.values()) {
    child.stdout?.resume()
    child.stderr?.resume()
  }
})

function start(number: number, { command: [program, ...args], directory, environment }: StartProcessRequest): void {
  const child = spawn(program, args, { cwd: directory, env: environment, detached: true })
  children.set(number, child)
  let hasEnded = false
  const end = (report: ProcessEndedReport) => {
    if (hasEnded) return
    hasEnded = true
    child.stdout.destroy()
    child.stderr.destroy()
    children.delete(number)
    send(frameKinds.ended, number, Buffer.from(JSON.stringify(report)))
  }
  child.stdout.on('data', (chunk: Buffer) => send(frameKinds.output, number, chunk))
  child.stderr.on('data', (chunk: Buffer) => send(frameKinds.errorOutput, number, chunk))
  child.stdin.on('error', () => {}) // a command may close its input
  child.once('error', (error) => end({ code: null, signal: null, error: error.message }))
  child.once('close', (code, signal) => end({ code, signal }))
  // A background process that it started may keep its output open forever, so its own exit counts.
  child.once('exit', (code, signal) => setTimeout(() => end({ code, signal }), flushDelayMs))
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // already gone
  }
}

/**
 * One system call that kills every process except this one and the first of the sandbox, however fast they fork. They count against
 * the process limit until the kernel has removed them, so that no command could be started before.
 */
async function killAll(number: number): Promise<void> {
  if (process.ppid !== 1) throw new Error('not in a PID namespace: this would kill processes of the host')
  try {
    process.kill(-1, 'SIGKILL')
  } catch {
    // there are no other processes
  }
  const deadlineMs = Date.now() + maxKillMs
  while (hasOtherProcesses() && Date.now() < deadlineMs) await sleep(20)
  send(frameKinds.killedAll, number)
}

const hasOtherProcesses = (): boolean =>
  readdirSync('/proc').some((name) => /^\d+$/.test(name) && name !== '1' && name !== String(process.pid))

function receive({ kind, processNumber: number, payload }: Frame): void {
  const child = children.get(number)
  switch (kind) {
    case frameKinds.start:
      start(number, JSON.parse(payload.toString('utf8')) as StartProcessRequest)
      break
    case frameKinds.input:
      child?.stdin?.write(payload)
      break
    case frameKinds.inputEnd:
      child?.stdin?.end()
      break
    case frameKinds.kill:
      kill(child)
      break
    case frameKinds.killAll:
      void killAll(number)
      break
  }
}

const reader = new FrameReader()
process.stdin.on('data', (chunk: Buffer) => {
  for (const frame of reader.read(chunk)) receive(frame)
})
process.stdin.once('end', () => process.exit(0)) // the runner has exited
process.stdout.once('error', () => process.exit(1))

const forwarder = createServer((inner) => {
  const outer = connect(gatewaySocket)
  pipeline(inner, outer, () => {})
  pipeline(outer, inner, () => {})
})
forwarder.maxConnections = maxConnections
forwarder.listen(forwardedPort, '127.0.0.1', () => send(frameKinds.ready, 0))
