import { expect, it } from 'vitest'
import { defaultSandboxLimits, fitSandboxLimits, minTurnMemoryBytes, type SandboxLimits } from './limits.ts'

const mebibyte = 1024 * 1024
const runnerMemoryBytes = 200 * mebibyte

const sumOfMounts = ({ workspace, state, temporary }: SandboxLimits) =>
  workspace.sizeBytes + state.sizeBytes + temporary.sizeBytes

it('uses the default limits if there is enough memory', () => {
  const enough = { availableMemoryBytes: 7 * 1024 * mebibyte, maxConcurrentTurns: 2, availableCpus: 2 }
  expect(fitSandboxLimits({ ...enough, hasCgroups: false })).toEqual(defaultSandboxLimits)
  expect(fitSandboxLimits({ ...enough, hasCgroups: true })).toEqual(defaultSandboxLimits)
})

it.each([
  { availableMemoryBytes: 1024 * mebibyte, maxConcurrentTurns: 1 },
  { availableMemoryBytes: 3 * 1024 * mebibyte, maxConcurrentTurns: 2 },
  { availableMemoryBytes: 24 * 1024 * mebibyte, maxConcurrentTurns: 20 },
])(
  'lets $maxConcurrentTurns turns fit into $availableMemoryBytes bytes',
  ({ availableMemoryBytes, maxConcurrentTurns }) => {
    const limits = fitSandboxLimits({ availableMemoryBytes, availableCpus: 2, maxConcurrentTurns, hasCgroups: false })
    if (!limits) throw new Error('no limits')
    const turnBytes = limits.memoryBytes + sumOfMounts(limits)
    expect(turnBytes * maxConcurrentTurns + runnerMemoryBytes).toBeLessThanOrEqual(availableMemoryBytes)
    expect(limits.workspace.files).toBeLessThan(defaultSandboxLimits.workspace.files)
  },
)

it('leaves more to processes if a cgroup counts files as well', () => {
  const memory = { availableMemoryBytes: 1024 * mebibyte, maxConcurrentTurns: 1, availableCpus: 2 }
  const limits = fitSandboxLimits({ ...memory, hasCgroups: true })
  expect(limits?.memoryBytes).toBe(824 * mebibyte)
})

it('refuses when a turn would get less than the agent needs', () => {
  const limits = fitSandboxLimits({
    availableMemoryBytes: runnerMemoryBytes + minTurnMemoryBytes,
    availableCpus: 2,
    maxConcurrentTurns: 1,
    hasCgroups: false,
  })
  expect(limits).toBeUndefined()
})
