/**
 * A process that sends beacons at a constant rate, each at its scheduled time, whether or not earlier ones have a response, as
 * with real visitors. It has its own event loop, so that latencies do not include the work of the rest of the proof, and it
 * writes requests to sockets directly, because it shares the cores with what it measures.
 */
import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../proof.ts'
import { pagePathOf, pagesPerProject, popularProject, projectInTurn, siteKeyOf } from './generated-projects.ts'

/** As a reverse proxy keeps them open, and as many as `ingest-rate` has. Further beacons wait, which counts as latency. */
const maxConnections = 256
/** One in so many beacons is from a page that the project did not have before. */
const beaconsPerNewPage = 2_000
/** Clients, each behind an address of its own. */
const clientCount = 200_000
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

interface Beacon {
  project: number
  dueAtMs: number
  request: string
}

export interface BeaconSettings {
  apiUrl: string
  perSecond: number
  /** Until the full rate is reached. */
  rampSeconds: number
  projects: number
  seed: number
}

/** Counts are totals since the start; latencies are of the time since the last report, from the scheduled time of each beacon. */
export interface BeaconReport {
  sent: number
  accepted: number
  failed: number
  /** Due, but without a free connection. */
  waiting: number
  measured: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
}

export interface FinalBeaconReport {
  sent: number
  accepted: number
  failed: number
  reasons: string[]
  newPages: number
  acceptedByProject: number[]
}

const settings = JSON.parse(process.env.BEACONS ?? '{}') as BeaconSettings
const { hostname, port, host } = new URL(settings.apiUrl)
const random = seededRandom(settings.seed)
const siteKeys = Array.from({ length: settings.projects }, (_, project) => siteKeyOf(project))
const requestHead =
  `POST /v1/collect HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\nUser-Agent: ${userAgent}\r\n` +
  'Origin: https://docs.example.com\r\n'

const acceptedByProject = new Uint32Array(settings.projects)
let newPages = 0
let sent = 0
let accepted = 0
let failed = 0
let isStopping = false
const failures = new Map<string, number>()
let latency = createHistogram()
/** Those before `nextWaiting` have been sent: removing the first of a long array would take too long. */
let waiting: Beacon[] = []
let nextWaiting = 0
const idle: Socket[] = []
const busy = new Map<Socket, Beacon>()

function createBeacon(dueAtMs: number): Beacon {
  const number = sent++
  const { projects } = settings
  const project = number % 2 === 0 ? projectInTurn(projects, number / 2) : popularProject(projects, random())
  const isNewPage = number % beaconsPerNewPage === beaconsPerNewPage - 1
  if (isNewPage) newPages++
  const path = isNewPage
    ? `/docs/new-${settings.seed}-${number}`
    : pagePathOf(Math.floor(random() ** 2 * pagesPerProject))
  const body = `{"key":"${siteKeys[project]}","id":"${settings.seed}-${number}","path":"${path}"}`
  const client = Math.floor(random() * clientCount)
  const address = `85.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
  const request = `${requestHead}X-Forwarded-For: ${address}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  return { project, dueAtMs, request }
}

function send(beacon: Beacon): void {
  const socket = idle.pop() ?? (busy.size < maxConnections ? openConnection() : undefined)
  if (!socket) return void waiting.push(beacon)
  busy.set(socket, beacon)
  socket.write(beacon.request)
}

function openConnection(): Socket {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const response = received
    received = ''
    settle(socket, response)
  })
  socket.on('error', () => {}) // 'close' follows
  socket.on('close', () => {
    const index = idle.indexOf(socket)
    if (index !== -1) idle.splice(index, 1)
    if (busy.has(socket)) settle(socket, 'the connection was closed')
  })
  return socket
}

function settle(socket: Socket, response: string): void {
  const beacon = busy.get(socket)
  busy.delete(socket)
  if (!beacon) return
  const isAccepted = response.startsWith('HTTP/1.1 204')
  if (isAccepted) {
    accepted++
    acceptedByProject[beacon.project] = (acceptedByProject[beacon.project] ?? 0) + 1
    latency.record(Math.max(1, Math.round((performance.now() - beacon.dueAtMs) * 1000)))
    if (!socket.destroyed) idle.push(socket)
  } else {
    failed++
    const reason = response.split('\r\n', 1)[0] ?? ''
    failures.set(reason, (failures.get(reason) ?? 0) + 1)
    socket.destroy() // its response may have a body
  }
  sendWaiting()
}

function sendWaiting(): void {
  const beacon = waiting[nextWaiting]
  if (!beacon) return
  nextWaiting++
  if (nextWaiting === waiting.length) {
    waiting = []
    nextWaiting = 0
  }
  send(beacon)
}

const countWaiting = () => waiting.length - nextWaiting

/** Since the last report. */
function report(): BeaconReport {
  const milliseconds = (percentile: number) => latency.percentile(percentile) / 1000
  const interval = {
    sent,
    accepted,
    failed,
    waiting: countWaiting(),
    measured: latency.count,
    p50Ms: milliseconds(50),
    p95Ms: milliseconds(95),
    p99Ms: milliseconds(99),
    maxMs: latency.count > 0 ? latency.max / 1000 : 0,
  }
  latency = createHistogram()
  return interval
}

async function finish(): Promise<FinalBeaconReport> {
  isStopping = true
  const deadlineMs = performance.now() + 60_000
  while (busy.size + countWaiting() > 0 && performance.now() < deadlineMs) await sleep(20)
  failed += busy.size + countWaiting()
  const { sent: total, accepted: received } = report()
  const reasons = [...failures].map(([reason, count]) => `${count} × ${reason}`)
  return { sent: total, accepted: received, failed, reasons, newPages, acceptedByProject: [...acceptedByProject] }
}

process.on('message', async (message: 'report' | 'finish') => {
  if (message === 'report') return void process.send?.(report())
  process.send?.(await finish(), () => process.exit())
})

/** The rate grows to its full value in the first seconds: the number of beacons that are due by then, and when each one is. */
const { perSecond, rampSeconds } = settings
const rampBeacons = (perSecond * rampSeconds) / 2
const dueAfter = (seconds: number) =>
  seconds < rampSeconds
    ? (perSecond * seconds ** 2) / (2 * rampSeconds)
    : rampBeacons + perSecond * (seconds - rampSeconds)
const dueSecond = (number: number) =>
  number < rampBeacons
    ? Math.sqrt((2 * rampSeconds * number) / perSecond)
    : rampSeconds + (number - rampBeacons) / perSecond

const startedAtMs = performance.now()
while (!isStopping) {
  const due = Math.floor(dueAfter((performance.now() - startedAtMs) / 1000))
  while (sent < due) send(createBeacon(startedAtMs + dueSecond(sent) * 1000))
  await sleep(2)
}
