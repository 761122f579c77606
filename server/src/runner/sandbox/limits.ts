/** How much one turn may use. Everything that it writes is in memory, so the sizes are a part of `memoryBytes`. */
export interface BoxLimits {
  workspace: MountLimit
  state: MountLimit
  temporary: MountLimit
  /** Of all processes together, with what they wrote. */
  memoryBytes: number
  /** Of one process: it hears of it as a failed allocation, instead of being killed. */
  processMemoryBytes: number
  /** Threads count. Node has about ten. */
  processes: number
  openFiles: number
}

interface MountLimit {
  sizeBytes: number
  /** An empty file costs the kernel about a kilobyte that `sizeBytes` does not count. */
  files: number
}

const mebibyte = 1024 * 1024

export const boxLimits: BoxLimits = {
  workspace: { sizeBytes: 1024 * mebibyte, files: 300_000 },
  state: { sizeBytes: 64 * mebibyte, files: 2_000 },
  temporary: { sizeBytes: 256 * mebibyte, files: 50_000 },
  memoryBytes: 2048 * mebibyte,
  processMemoryBytes: 1024 * mebibyte,
  processes: 256,
  openFiles: 1_024,
}
