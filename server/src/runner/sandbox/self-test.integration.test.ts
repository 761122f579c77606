import { describe, expect, it } from 'vitest'
import { openBoxGroups } from './cgroup.ts'
import { testSandbox } from './self-test.ts'
import { type Wall, walls } from './walls.ts'

const { groups } = openBoxGroups()
const tryWithout = (...without: Wall[]) => testSandbox({ mounts: [], groups, without: new Set(without) })

describe('the self-test of the sandbox', () => {
  it('finds every wall in its place', async () => {
    await expect(tryWithout()).resolves.toEqual({ kind: 'held' })
  })

  const removable = walls.filter((wall) => wall !== 'ordinary user' || process.getuid?.() === 0)
  it.each(removable)('misses a wall that is taken away: %s', async (wall) => {
    const outcome = await tryWithout(wall)
    expect(outcome.kind === 'failed' ? outcome.failures.map((failure) => failure.wall) : []).toContain(wall)
  })
})
