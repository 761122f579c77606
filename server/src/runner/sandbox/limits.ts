import { totalmem } from 'node:os'

/** Resource limits of one turn. All writable mounts are in memory. */
export interface SandboxLimits {
  workspace: MountLimit
  state: MountLimit
  temporary: MountLimit
  /** Of all processes together. In a cgroup, this includes the files that they wrote; without one, files come on top of it. */
  memoryBytes: number
  /** Of one process. Its allocations fail beyond this; it is not killed. */
  processMemoryBytes: number
  /** Includes threads, of which a Node process has about ten. */
  processes: number
  openFiles: number
  /** Its share of the CPUs. A sandbox that uses more gets the lowest priority: it may use only what nobody else needs. */
  cpus: number
}

interface MountLimit {
  sizeBytes: number
  /** An empty file takes about a kilobyte of kernel memory that `sizeBytes` does not include. */
  files: number
}

const mebibyte = 1024 * 1024

export const defaultSandboxLimits: SandboxLimits = {
  workspace: { sizeBytes: 1024 * mebibyte, files: 300_000 },
  state: { sizeBytes: 64 * mebibyte, files: 2_000 },
  temporary: { sizeBytes: 256 * mebibyte, files: 50_000 },
  memoryBytes: 2048 * mebibyte,
  processMemoryBytes: 1024 * mebibyte,
  processes: 256,
  openFiles: 1_024,
  cpus: 1,
}

/**
 * Below the runner, which must stay able to send heartbeats. Processes in the sandbox cannot lower the value again. With 5, turns took
 * three times as long beside other programs (tried); a sandbox that is too busy gets 19.
 */
export const sandboxNiceness = 1

/** What the runner's own process needs. */
const runnerMemoryBytes = 200 * mebibyte
/** Below this, the agent itself does not start reliably. */
export const minTurnMemoryBytes = 320 * mebibyte

/**
 * Limits with which `maxConcurrentTurns` turns fit into the memory of the machine or container, even if each of them uses all it may.
 * Otherwise the kernel, not the sandbox, would end a turn, and the user would not learn why. Undefined if the memory is too small.
 */
export function fitSandboxLimits({
  availableMemoryBytes,
  availableCpus,
  maxConcurrentTurns,
  hasCgroups,
}: {
  availableMemoryBytes: number
  availableCpus: number
  maxConcurrentTurns: number
  hasCgroups: boolean
}): SandboxLimits | undefined {
  const shareBytes = Math.floor((availableMemoryBytes - runnerMemoryBytes) / maxConcurrentTurns)
  const workspace = shrinkMount(defaultSandboxLimits.workspace, shareBytes * 0.4)
  const temporary = shrinkMount(defaultSandboxLimits.temporary, shareBytes * 0.08)
  const { state } = defaultSandboxLimits
  const mountBytes = workspace.sizeBytes + temporary.sizeBytes + state.sizeBytes
  const memoryBytes = Math.min(defaultSandboxLimits.memoryBytes, hasCgroups ? shareBytes : shareBytes - mountBytes)
  if (memoryBytes < minTurnMemoryBytes) return undefined
  // `processMemoryBytes` stays: it includes what V8 only reserves, so Node does not start with much less.
  return { ...defaultSandboxLimits, workspace, temporary, memoryBytes, cpus: availableCpus / maxConcurrentTurns }
}

function shrinkMount({ sizeBytes, files }: MountLimit, maxBytes: number): MountLimit {
  const share = Math.min(1, maxBytes / sizeBytes)
  // The kernel rounds up to whole pages, so that the self-test would find another size than it expects.
  return { sizeBytes: Math.floor((sizeBytes * share) / mebibyte) * mebibyte, files: Math.floor(files * share) }
}

/** Of this machine or, in a container with a memory limit, of the container. */
export function readAvailableMemoryBytes(): number {
  const constrained = process.constrainedMemory() // 0 or larger than any machine's memory if there is no limit
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
