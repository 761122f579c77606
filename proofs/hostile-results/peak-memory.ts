/**
 * The peak memory of a process and all of its descendants, by the kernel's proportional set size (PSS): memory that several
 * processes share, such as that of a git that was just forked, is counted once.
 */
import { readdirSync, readFileSync } from 'node:fs'

export interface MemoryPeak {
  bytes: number
  /** The largest processes, such as `310 worker, 40 git index-pack`, in MB. */
  largest: string
}

export interface MemoryWatch {
  /** Since the last call. */
  readAndResetPeak(): MemoryPeak
  stop(): void
}

interface Process {
  parent: number
  name: string
}

const sampleEveryMs = 200
const megabyte = 1024 * 1024

export function watchMemory(pid: number, name: string): MemoryWatch {
  let peak: MemoryPeak = { bytes: 0, largest: '' }
  const sample = () => {
    const current = readMemory(pid, name)
    if (current.bytes > peak.bytes) peak = current
  }
  const sampling = setInterval(sample, sampleEveryMs)
  return {
    readAndResetPeak() {
      sample()
      const last = peak
      peak = { bytes: 0, largest: '' }
      return last
    },
    stop: () => clearInterval(sampling),
  }
}

function readMemory(root: number, name: string): MemoryPeak {
  const processes = readProcesses()
  const tree = [root]
  for (const ancestor of tree) {
    for (const [pid, { parent }] of processes) if (parent === ancestor) tree.push(pid) // grows during the iteration
  }
  const processUsages = tree.map((pid) => ({
    bytes: residentBytes(pid),
    name: pid === root ? name : (processes.get(pid)?.name ?? ''),
  }))
  return {
    bytes: processUsages.reduce((sum, { bytes }) => sum + bytes, 0),
    largest: processUsages
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, 4)
      .map((usage) => `${Math.round(usage.bytes / megabyte)} ${usage.name}`)
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

/** Empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
