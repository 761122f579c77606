/**
 * How much memory a process and all that it starts had at the worst moment. By the kernel's proportional count: what
 * several share, like a git that was just forked and still shares all with its parent, is counted once.
 */
import { readdirSync, readFileSync } from 'node:fs'

export interface MemoryPeak {
  bytes: number
  /** The largest parts, such as `310 worker, 40 git index-pack`, in MB. */
  parts: string
}

export interface MemoryWatch {
  /** Since the last question. */
  takePeak(): MemoryPeak
  stop(): void
}

interface Process {
  parent: number
  name: string
}

const lookEveryMs = 200
const megabyte = 1024 * 1024

export function watchMemory(pid: number, name: string): MemoryWatch {
  let peak: MemoryPeak = { bytes: 0, parts: '' }
  const look = () => {
    const found = memoryOf(pid, name)
    if (found.bytes > peak.bytes) peak = found
  }
  const looking = setInterval(look, lookEveryMs)
  return {
    takePeak() {
      look()
      const taken = peak
      peak = { bytes: 0, parts: '' }
      return taken
    },
    stop: () => clearInterval(looking),
  }
}

function memoryOf(root: number, name: string): MemoryPeak {
  const processes = readProcesses()
  const below = [root]
  for (const known of below) {
    for (const [pid, { parent }] of processes) if (parent === known) below.push(pid) // grows while it is walked
  }
  const parts = below.map((pid) => ({
    bytes: residentBytes(pid),
    name: pid === root ? name : (processes.get(pid)?.name ?? ''),
  }))
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: parts
      .toSorted((one, other) => other.bytes - one.bytes)
      .slice(0, 4)
      .map((part) => `${Math.round(part.bytes / megabyte)} ${part.name}`)
      .join(', '),
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes = 0] = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? []
  return Number(kilobytes) * 1024
}

function readProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>()
  for (const pid of readdirSync('/proc')) {
    const [, name = '', parent] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(/^\d+$/.test(pid) ? read(`/proc/${pid}/stat`) : '') ?? []
    if (parent !== undefined) processes.set(Number(pid), { parent: Number(parent), name })
  }
  return processes
}

/** Empty when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
