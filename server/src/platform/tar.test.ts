import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tarEnd, tarFile } from './tar.ts'

test('writes archives that tar can extract', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-tar-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const files = { 'export/empty.txt': '', 'export/jobs/1.ndjson': 'é'.repeat(700), 'export/block': 'x'.repeat(512) }
  const archive = Object.entries(files).map(([name, text]) => tarFile(name, Buffer.from(text), new Date(0)))
  writeFileSync(join(directory, 'a.tar'), Buffer.concat([...archive, tarEnd]))
  execFileSync('tar', ['--extract', '--file', 'a.tar'], { cwd: directory })
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(directory, name), 'utf8')).toBe(text)
})
