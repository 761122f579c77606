import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { removeAbandonedRepositories } from './git-repository.ts'

it('removes only directories that a killed process left behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-test-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  vi.stubEnv('TMPDIR', directory)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of ['colophon-publish-old', 'colophon-publish-new', 'other-old']) {
    await mkdir(join(directory, name, 'objects'), { recursive: true })
    const hours = name.endsWith('old') ? 2 : 0
    const changedAt = new Date(Date.now() - hours * 3_600_000)
    await utimes(join(directory, name), changedAt, changedAt)
  }
  await removeAbandonedRepositories()
  expect((await readdir(directory)).toSorted()).toEqual(['colophon-publish-new', 'other-old'])
})
