import { readFileSync } from 'node:fs'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Something to read from the environment: a setting, or what is computed from settings. */
export interface Reader<Value> {
  /** The settings that it may read. */
  readonly inputs: Shape
  read(env: EnvironmentReader): Value
}

/** Reading a shape gives an object with the same keys. */
export type Shape = Reader<unknown> | { readonly [key: string]: Shape }
export type ValueOf<Part> = Part extends Reader<infer Value> ? Value : { [Key in keyof Part]: ValueOf<Part[Key]> }

export const isReader = (shape: Shape): shape is Reader<unknown> => typeof shape.read === 'function'

interface Variable {
  readonly name: string
  readonly purpose?: string
  readonly kind: { file?: 'secret' | 'public' }
}

/** Reads settings, and collects all errors, so that they can be reported together. */
export class EnvironmentReader {
  /** A set, because some settings are read more than once. */
  readonly errors = new Set<string>()
  readonly #environment: EnvironmentVariables

  constructor(environment: EnvironmentVariables) {
    this.#environment = environment
  }

  addError(text: string): void {
    this.errors.add(text)
  }

  addMissing({ name, purpose }: Variable): void {
    this.addError(`${name} is required: ${purpose}`)
  }

  read<Part extends Shape>(shape: Part): ValueOf<Part> {
    const value = isReader(shape)
      ? shape.read(this)
      : Object.fromEntries(Object.entries(shape).map(([key, part]) => [key, this.read(part)]))
    return value as ValueOf<Part>
  }

  text({ name, kind }: Variable): string | undefined {
    const value = this.#environment[name]
    const file = kind.file ? this.#environment[`${name}_FILE`] : undefined
    if (value && file) this.addError(`${name} and ${name}_FILE are both set: remove one`)
    if (!file) return value || undefined
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      // A secret that was put here by mistake does not look like a path, and is not printed.
      this.addError(`${name}_FILE must be the path of a readable file${/^[./]/.test(file) ? `, got ${file}` : ''}`)
      return undefined
    }
  }
}
