/** Resource limits of one turn. All writable mounts are in memory, so their sizes are part of `memoryBytes`. */
export interface SandboxLimits {
  workspace: MountLimit
  state: MountLimit
  temporary: MountLimit
  /** Of all processes together, including the files that they wrote. */
  memoryBytes: number
  /** Of one process. Its allocations fail beyond this; it is not killed. */
  processMemoryBytes: number
  /** Includes threads, of which a Node process has about ten. */
  processes: number
  openFiles: number
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
}
