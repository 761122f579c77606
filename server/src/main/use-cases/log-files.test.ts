import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { openLogFiles } from './log-files.ts'

test('reports files that cannot be read and opens the others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-logs-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const current = join(directory, 'access.log')
  const rotated = join(directory, 'access.log.1')
  writeFileSync(current, 'a line\n')

  const { files, unreadable } = await openLogFiles([rotated, current, directory])
  expect(files).toMatchObject([{ path: current, file: { sizeBytes: 7 } }])
  expect(unreadable).toEqual([
    expect.stringContaining(`${rotated} cannot be read: ENOENT`),
    `${directory} cannot be read: not a regular file`,
  ])

  const error = await openLogFiles([rotated, directory]).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect((error as UsageError).message).toMatch(/ENOENT.*\n.*not a regular file$/)
})
