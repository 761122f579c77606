/**
 * Ends the operations of a storage whose calls may never return. Those of a directory on a file server that is down wait for it, and Node
 * cannot interrupt them. A backup would keep its snapshot and its locks meanwhile, even after it was aborted.
 */
import { BackupError } from './backup-error.ts'
import type { BackupStorage } from './storage.ts'

/** Longer than a file server takes to fail over, or to write a large file to its disk. Less than ClickHouse waits (`clickhouseTimeoutMs`). */
const defaultMaxSilenceMs = 480_000

export class ResponsiveStorage implements BackupStorage {
  readonly description: string
  readonly #storage: BackupStorage
  readonly #maxSilenceMs: number

  constructor(storage: BackupStorage, { maxSilenceMs = defaultMaxSilenceMs } = {}) {
    this.description = storage.description
    this.#storage = storage
    this.#maxSilenceMs = maxSilenceMs
  }

  listFolders(): Promise<string[]> {
    return this.#whileResponsive(() => this.#storage.listFolders())
  }

  hasFile(path: string): Promise<boolean> {
    return this.#whileResponsive(() => this.#storage.hasFile(path))
  }

  deleteFolder(name: string): Promise<void> {
    return this.#whileResponsive(() => this.#storage.deleteFolder(name))
  }

  /** What reads a backup has no locks, and the operator can interrupt it. */
  read(path: string): AsyncIterable<Uint8Array> {
    return this.#storage.read(path)
  }

  /** The time in which the storage waits for the content does not count. */
  async write(path: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const source = content[Symbol.asyncIterator]()
    try {
      await this.#whileResponsive((watchdog) => {
        const watched: AsyncIterator<Uint8Array> = {
          next: async () => {
            watchdog.signal.throwIfAborted() // a call that returns after all must not take the file for complete
            watchdog.stop()
            return source.next().finally(() => watchdog.start())
          },
        }
        return this.#storage.write(path, { [Symbol.asyncIterator]: () => watched }, watchdog.signal)
      }, signal)
    } catch (error) {
      source.return?.().catch(() => {}) // not awaited: the source may not respond either
      throw error
    }
  }

  async #whileResponsive<Result>(work: (watchdog: Watchdog) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const seconds = this.#maxSilenceMs / 1000
    const silent = new BackupError(`${this.description} cannot be used: it did not respond for ${seconds} seconds.`)
    const watchdog = new Watchdog(this.#maxSilenceMs, silent, signal)
    const aborted = Promise.withResolvers<never>()
    watchdog.signal.addEventListener('abort', () => aborted.reject(watchdog.signal.reason))
    watchdog.start()
    try {
      return await Promise.race([work(watchdog), aborted.promise])
    } finally {
      watchdog.stop()
    }
  }
}

class Watchdog {
  /** Also that of the caller. */
  readonly signal: AbortSignal
  readonly #silence = new AbortController()
  readonly #maxSilenceMs: number
  readonly #error: Error
  #timer: NodeJS.Timeout | undefined

  constructor(maxSilenceMs: number, error: Error, signal: AbortSignal | undefined) {
    this.#maxSilenceMs = maxSilenceMs
    this.#error = error
    this.signal = signal ? AbortSignal.any([this.#silence.signal, signal]) : this.#silence.signal
  }

  start(): void {
    if (!this.signal.aborted) this.#timer = setTimeout(() => this.#silence.abort(this.#error), this.#maxSilenceMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
