/** What a setting is. `settings.ts` declares all of them, `../config.ts` says which process reads which. */
import { type EnvironmentReader, isReader, type Reader, type Shape } from './environment-reader.ts'

/** A type of value, for example an integer in a range. */
export interface Kind<Value> {
  /** Reports errors to `env`. Undefined: there is no value, so the default applies. */
  parse(text: string, setting: Setting, env: EnvironmentReader): Value | undefined
  /** A sentence about accepted values, for the documentation. */
  accepts?: string
  /** Can also be read from the file that X_FILE names. A `secret` is never printed. */
  file?: 'secret' | 'public'
}

interface SettingOptions {
  /** For docs/configuration.md, in Markdown. */
  meaning: string
  /** For docs/configuration.md, if the default is not always the same. */
  documentedDefault?: string
  /** Completes "X is required: …", and says which URL is expected. */
  purpose?: string
}

export interface Setting<Value = unknown> extends Reader<Value>, SettingOptions {
  readonly name: string
  readonly kind: Kind<unknown>
  readonly documentedDefault: string
}

/** Not set: an error, after which loading fails. So code that uses the value never sees that it is missing. */
export const required = <Value>(name: string, kind: Kind<Value>, options: SettingOptions & { purpose: string }) =>
  createSetting(name, kind, undefined, {
    documentedDefault: 'required',
    isRequired: true,
    ...options,
  }) as Setting<Value>

export const optional = <Value>(name: string, kind: Kind<Value>, options: SettingOptions) =>
  createSetting(name, kind, undefined, options)

/** `defaultText`: as it could be in the environment. Null: no limit. */
export const withDefault = <Value, DefaultText extends string | null>(
  name: string,
  kind: Kind<Value>,
  defaultText: DefaultText,
  options: SettingOptions,
) => createSetting(name, kind, defaultText, options)

function createSetting<Value, Default extends string | null | undefined>(
  name: string,
  kind: Kind<Value>,
  defaultText: Default,
  options: SettingOptions & { isRequired?: boolean },
): Setting<Value | Exclude<Default, string>> {
  const setting: ReturnType<typeof createSetting<Value, Default>> = {
    documentedDefault: defaultText ? `\`${defaultText}\`` : defaultText === null ? 'no limit' : 'none',
    ...options,
    name,
    kind,
    inputs: {},
    read(env) {
      const text = env.text(setting)
      if (text === undefined && options.isRequired) env.addMissing(setting)
      const value = text === undefined ? undefined : kind.parse(text, setting, env)
      const fallback = typeof defaultText === 'string' ? kind.parse(defaultText, setting, env) : defaultText
      return value ?? (fallback as Value | Exclude<Default, string>)
    },
  }
  return setting
}

/** A value that depends on several settings. */
export const computed = <const Inputs extends Shape, Value>(
  inputs: Inputs,
  compute: (inputs: Inputs, env: EnvironmentReader) => Value,
): Reader<Value> => ({ inputs, read: (env) => compute(inputs, env) })

/** The value of `group`, if the setting in it that enables it is set. */
export const whenSet = <const Group extends Shape>(group: Group, enabling: Setting) =>
  computed(group, (_, env) => (env.text(enabling) === undefined ? undefined : env.read(group)))

/** The text of a setting without validation, for processes that only show it or pass it on. */
export const textOf = (setting: Setting) => computed(setting, (_, env) => env.text(setting))

/** All settings in a shape, in its order. */
export function listSettings(shape: Shape): Setting[] {
  if (isReader(shape)) return 'kind' in shape ? [shape as Setting] : listSettings(shape.inputs)
  return Object.values(shape).flatMap(listSettings)
}
