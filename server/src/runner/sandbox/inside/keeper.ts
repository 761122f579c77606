/**
 * The first program in the box. It starts what the runner asks for, passes bytes to and fro, and forwards
 * 127.0.0.1:8080 to the one way out. It is no wall: what runs beside it could lie through it, so the runner believes
 * nothing that comes from here. When it ends, the kernel ends everything else in the box.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { type EndedReport, encodeFrame, type Frame, FrameReader, frameKinds, type StartRequest } from '../frames.ts'

const gatewaySocket = '/run/gateway/gateway.sock'
const forwardedPort = 8080
const maxConnections = 64
const flushMs = 200

const children = new Map<number, ChildProcess>()

function send(kind: number, process_: number, payload?: Uint8Array): void {
  if (process.stdout.write(encodeFrame(kind, process_, payload))) return
  for (const child of children.values()) {
    child.stdout?.pause() // the runner reads slower than this: hold the writers back instead of filling our memory
    child.stderr?.pause()
  }
}
process.stdout.on('drain', () => {
  for (const child of children.values()) {
    child.stdout?.resume()
    child.stderr?.resume()
  }
})

function start(number: number, { command: [program, ...args], directory, environment }: StartRequest): void {
  const child = spawn(program, args, { cwd: directory, env: environment, detached: true })
  children.set(number, child)
  let ended = false
  const end = (report: EndedReport) => {
    if (ended) return
    ended = true
    child.stdout.destroy()
    child.stderr.destroy()
    children.delete(number)
    send(frameKinds.ended, number, Buffer.from(JSON.stringify(report)))
  }
  child.stdout.on('data', (chunk: Buffer) => send(frameKinds.output, number, chunk))
  child.stderr.on('data', (chunk: Buffer) => send(frameKinds.errorOutput, number, chunk))
  child.stdin.on('error', () => {}) // it closed its input: its own business
  child.once('error', (error) => end({ code: null, signal: null, error: error.message }))
  child.once('close', (code, signal) => end({ code, signal }))
  // What it left running may hold its output open for ever; its own end is the end.
  child.once('exit', (code, signal) => setTimeout(() => end({ code, signal }), flushMs))
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // gone already
  }
}

/** One call that reaches every process but this one and the box's first, however fast they fork. */
function sweep(number: number): void {
  if (process.ppid !== 1) throw new Error('not in a process namespace: this would end processes of the host')
  try {
    process.kill(-1, 'SIGKILL')
  } catch {
    // nobody else is here
  }
  send(frameKinds.swept, number)
}

function take({ kind, process: number, payload }: Frame): void {
  const child = children.get(number)
  switch (kind) {
    case frameKinds.start:
      start(number, JSON.parse(payload.toString('utf8')) as StartRequest)
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
    case frameKinds.sweep:
      sweep(number)
      break
  }
}

const reader = new FrameReader()
process.stdin.on('data', (chunk: Buffer) => {
  for (const frame of reader.read(chunk)) take(frame)
})
process.stdin.once('end', () => process.exit(0)) // the runner is gone
process.stdout.once('error', () => process.exit(1))

const forwarder = createServer((inner) => {
  const outer = connect(gatewaySocket)
  pipeline(inner, outer, () => {})
  pipeline(outer, inner, () => {})
})
forwarder.maxConnections = maxConnections
forwarder.listen(forwardedPort, '127.0.0.1', () => send(frameKinds.ready, 0))
