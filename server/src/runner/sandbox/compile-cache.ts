/**
 * Half of the time that a Node program needs to start is compilation. Node caches compiled code in a directory; this keeps a copy of
 * it from before the first turn, and unpacks it in the sandbox of each turn. Always into a new directory with a name that nobody knows
 * in advance: what the model's programs write to an older one has no effect.
 */
import { randomUUID } from 'node:crypto'
import type { Sandbox } from './sandbox.ts'

const maxArchiveBytes = 32 * 1024 * 1024
const directoryToSave = '/tmp/node-compile-cache'

export class CompileCache {
  #archive: Buffer | undefined

  /** `run` starts programs with this environment, in a sandbox that no model has used. */
  async fill(
    sandbox: Sandbox,
    run: (environment: Readonly<Record<string, string>>) => Promise<unknown>,
  ): Promise<void> {
    await run({ NODE_COMPILE_CACHE: directoryToSave })
    const { end, output } = await sandbox.run({
      command: ['tar', '-cf', '-', '-C', directoryToSave, '.'],
      maxOutputBytes: maxArchiveBytes,
    })
    if (end.kind === 'exited' && end.code === 0) this.#archive = output
  }

  /** Returns the environment for a program. It starts without the cache if that cannot be unpacked, because the disk is full. */
  async unpack(sandbox: Sandbox, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (!this.#archive) return {}
    const directory = `/tmp/compile-cache-${randomUUID()}`
    const { end } = await sandbox.run(
      { command: ['sh', '-c', `mkdir ${directory} && tar -xf - -C ${directory}`], maxOutputBytes: 10_000 },
      { input: this.#archive, signal },
    )
    return end.kind === 'exited' && end.code === 0 ? { NODE_COMPILE_CACHE: directory } : {}
  }
}
