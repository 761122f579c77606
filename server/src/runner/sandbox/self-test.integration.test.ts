import { describe, expect, it } from 'vitest'
import { openSandboxCgroupFactory } from './cgroup.ts'
import { type IsolationLayer, isolationLayers } from './isolation-layers.ts'
import { defaultSandboxLimits } from './limits.ts'
import { memoryAttacks, testMemoryLimits } from './resource-tests.ts'
import { runSandboxSelfTest } from './self-test.ts'

const { cgroups } = openSandboxCgroupFactory()
const testWithout = (...without: IsolationLayer[]) =>
  runSandboxSelfTest({ mounts: [], cgroups, limits: defaultSandboxLimits, disabledLayers: new Set(without) })

describe('sandbox self-test', () => {
  it('passes with all isolation layers', async () => {
    await expect(testWithout()).resolves.toEqual({ kind: 'passed' })
  })

  const removable = isolationLayers.filter((layer) => layer !== 'unprivileged user' || process.getuid?.() === 0)
  it.each(removable)('detects a missing isolation layer: %s', async (layer) => {
    const outcome = await testWithout(layer)
    expect(outcome.kind === 'failed' ? outcome.failures.map((failure) => failure.layer) : []).toContain(layer)
  })

  it('detects each way to take memory that no limit counts', async () => {
    const disabledLayers = new Set<IsolationLayer>(['seccomp filter', 'mounts', 'memory limit'])
    const failures = await testMemoryLimits({
      mounts: [],
      cgroups: undefined,
      limits: defaultSandboxLimits,
      disabledLayers,
    })
    expect(failures).toEqual(Object.values(memoryAttacks))
  })
})
