import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The steps of a setup that are done, with their results, in a file. A setup that was interrupted continues after them. */
export class SetupProgress {
  readonly #file: string
  readonly #results: Record<string, string>

  constructor(file: string) {
    this.#file = file
    this.#results = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}
  }

  /** Runs a step unless its result is known. An interruption between the step and the file repeats the step. */
  async once(step: string, run: () => Promise<string>): Promise<string> {
    const known = this.#results[step]
    if (known !== undefined) return known
    const result = await run()
    this.#results[step] = result
    writeFileSync(`${this.#file}.part`, JSON.stringify(this.#results), { mode: 0o600 })
    renameSync(`${this.#file}.part`, this.#file)
    return result
  }
}
