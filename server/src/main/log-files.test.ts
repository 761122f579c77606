import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLogFiles } from './log-files.ts'
import { UsageError } from './usage-error.ts'

test('logs that are not there are named, and keep nobody from the others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-logs-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const current = join(directory, 'access.log')
  const before = join(directory, 'access.log.1')
  writeFileSync(current, 'a line\n')

  const { files, unreadable } = await openLogFiles([before, current, directory])
  expect(files).toMatchObject([{ path: current, file: { sizeBytes: 7 } }])
  expect(unreadable).toEqual([
    expect.stringContaining(`${before} cannot be read: ENOENT`),
    `${directory} cannot be read: it is no file`,
  ])

  const none = await openLogFiles([before, directory]).catch((error: unknown) => error)
  expect(none).toBeInstanceOf(UsageError)
  expect((none as UsageError).message).toMatch(/ENOENT.*\n.*it is no file$/)
})
