/** Which settings are set, for the support bundle: nothing that a stranger must not read. */
import { isLoopback } from '../is-loopback.ts'
import { EnvironmentReader, type EnvironmentVariables } from './environment-reader.ts'
import { listSettings, type Setting } from './setting.ts'
import { settings } from './settings.ts'

export interface SettingDescription {
  state: 'default' | 'set' | 'invalid'
  /** Only numbers and choices from a closed list, because any other text may be a name, an address or a secret. */
  value?: string
  /** Of a URL. */
  scheme?: string
  loopback?: boolean
}

/** By name, also those of other processes: which process runs here is not known. */
export function describeSettings(environment: EnvironmentVariables): Record<string, SettingDescription> {
  const unique = new Set(listSettings(settings))
  return Object.fromEntries([...unique].map((setting) => [setting.name, describeSetting(setting, environment)]))
}

function describeSetting(setting: Setting, environment: EnvironmentVariables): SettingDescription {
  const env = new EnvironmentReader(environment)
  const text = env.text(setting)
  if (env.errors.size > 0) return { state: 'invalid' }
  if (text === undefined) return { state: 'default' }
  setting.kind.parse(text, setting, env)
  if (env.errors.size > 0) return { state: 'invalid' }
  if (setting.kind.accepts !== undefined) return { state: 'set', value: text }
  const url = /^[a-z]+:\/\//.test(text) ? URL.parse(text) : null
  if (url) return { state: 'set', scheme: url.protocol.slice(0, -1), loopback: isLoopback(url.hostname) }
  return { state: 'set' }
}
