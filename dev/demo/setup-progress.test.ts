import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SetupProgress } from './setup-progress.ts'

test('a setup that fails continues after the steps that are done', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-progress-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const runs: string[] = []
  let isModelReachable = false
  const setUp = async () => {
    const progress = new SetupProgress(join(directory, 'project.json'))
    const step = (name: string, result: string) =>
      progress.once(name, async () => {
        runs.push(name)
        if (name === 'model' && !isModelReachable) throw new Error('unreachable')
        return result
      })
    return [await step('projectId', 'prj_1'), await step('model', 'added'), await step('repository', 'connected')]
  }
  await expect(setUp()).rejects.toThrow('unreachable')
  isModelReachable = true
  const results = ['prj_1', 'added', 'connected']
  expect(await setUp()).toEqual(results)
  expect(await setUp()).toEqual(results)
  expect(runs).toEqual(['projectId', 'model', 'model', 'repository'])
})
