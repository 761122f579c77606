/** Reads values of configuration files. What cannot be read counts as not set: a generator's default then applies. */
import { parse as parseToml } from 'smol-toml'
import { parseDocument } from 'yaml'
import { configObject, literalValue, parseJs, propertyOf } from './js-source.ts'

/** Plain data of a file, or an empty object. */
export type ConfigData = Readonly<Record<string, unknown>>

export function readYaml(source: string | undefined): ConfigData {
  // Tags such as !!python/name are kept as strings; nothing is executed. Aliases are not followed: they can expand without limit.
  const document = parseDocument(source ?? '', { logLevel: 'silent' })
  try {
    return toData(document.toJS({ maxAliasCount: 100 }))
  } catch {
    return {}
  }
}

export function readToml(source: string | undefined): ConfigData {
  try {
    return toData(parseToml(source ?? ''))
  } catch {
    return {}
  }
}

export function readJson(source: string | undefined): ConfigData {
  try {
    return toData(JSON.parse(source ?? ''))
  } catch {
    return {}
  }
}

/** By the extension of the file. */
export function readData(path: string, source: string | undefined): ConfigData {
  if (path.endsWith('.toml')) return readToml(source)
  return path.endsWith('.json') ? readJson(source) : readYaml(source)
}

const toData = (value: unknown): ConfigData =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ConfigData) : {}

/** The value at a path of keys. */
export const dataAt = (data: ConfigData, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => toData(value)[key], data)

/** A literal of the configuration object of a JavaScript or TypeScript file, by its keys. */
export function readJsValue(source: string | undefined, path: string, ...keys: readonly string[]): unknown {
  const file = parseJs(source ?? '', path)
  const object = file && configObject(file)
  return literalValue(keys.reduce<Parameters<typeof propertyOf>[0]>((node, key) => propertyOf(node, key), object))
}
