import type { IsolationLayer } from './isolation-layers.ts'
import type { SandboxOptions } from './sandbox-process.ts'

/** `sandbox`: it cannot be opened. `egress`: the gateway cannot be reached from inside, so an agent could not work. */
export interface SelfTestFailure {
  layer: IsolationLayer | 'sandbox' | 'egress'
  finding: string
}

export type SelfTestOptions = Pick<SandboxOptions, 'mounts' | 'cgroups' | 'limits' | 'disabledLayers'>
