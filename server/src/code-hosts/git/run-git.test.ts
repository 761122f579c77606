import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { craftGitObject, craftPackEntry, createPackFromEntries } from '../testing/craft-objects.ts'
import { type GitCommandOptions, runGit } from './run-git.ts'

let gitDirectory: string
beforeAll(async () => {
  gitDirectory = await mkdtemp(join(tmpdir(), 'colophon-test-'))
  await mkdir(join(gitDirectory, 'objects/pack'), { recursive: true })
  await mkdir(join(gitDirectory, 'refs'))
  await writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/none\n')
})
afterAll(() => rm(gitDirectory, { recursive: true }))

const git = (args: string[], options: Partial<GitCommandOptions> = {}) =>
  runGit({ gitDirectory, args, signal: AbortSignal.timeout(30_000), ...options })

describe('runGit', () => {
  it('returns exit code and output', async () => {
    const run = await git(['hash-object', '--stdin'], { stdin: 'hello\n' })
    expect(run).toEqual({ exitCode: 0, stdout: Buffer.from('ce013625030ba8dba906f756967f9e9ca394464a\n'), stderr: '' })
    await expect(git(['cat-file', '-t', 'f'.repeat(40)])).resolves.toMatchObject({ exitCode: 128 })
  })

  it('never reports output that was cut off as a success', async () => {
    const { stdout } = await git(['hash-object', '-w', '--stdin'], { stdin: Buffer.alloc(200_100, 'x') })
    const id = stdout.toString().trim()
    for (const maxOutputBytes of [200_099, 200_000, 150_000, 1_000]) {
      const run = await git(['cat-file', 'blob', id], { limits: { maxOutputBytes } })
      expect(run.exitCode, `at most ${maxOutputBytes} bytes`).toBeUndefined()
    }
    await expect(git(['cat-file', 'blob', id], { limits: { maxOutputBytes: 200_100 } })).resolves.toMatchObject({
      exitCode: 0,
    })
  })

  it('ignores all configuration except ours', async () => {
    const run = await git(['config', '--list', '--show-origin'], { config: { 'http.extraHeader': 'X: secret' } })
    const origins = run.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0])
    expect(new Set(origins)).toEqual(new Set(['command line:']))
    expect(run.stdout.toString()).toContain('http.extraheader=X: secret')
  })

  it.each(['ext::sh -c id', 'ssh://localhost/x', 'git://localhost/x', 'file:///', 'https://localhost/x'])(
    'blocks the transport of %s',
    async (url) => {
      const run = await git(['ls-remote', url], { environment: { GIT_PROTOCOL_FROM_USER: '0' } })
      expect(run.exitCode).not.toBe(0)
      expect(run.stderr).toMatch(/transport '\w+' not allowed/)
    },
  )

  it('kills git at the time limit', async () => {
    const startedAt = performance.now()
    const hanging = git(['-c', 'alias.wait=!sleep 20', 'wait'], { limits: { timeoutSeconds: 0.3 } })
    await expect(hanging).resolves.toMatchObject({ exitCode: undefined })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('kills git at the output limit', async () => {
    const run = await git(['-c', 'alias.talk=!yes', 'talk'], { limits: { maxOutputBytes: 100_000 } })
    expect(run.exitCode).toBeUndefined()
    expect(run.stdout.length).toBeLessThanOrEqual(100_000)
  })

  it('kills git and its child processes when the signal aborts', async () => {
    const signal = AbortSignal.timeout(300)
    await expect(git(['-c', 'alias.wait=!sleep 20', 'wait'], { signal })).rejects.toThrow(signal.reason)
    await expect(git(['version'], { signal })).rejects.toThrow(signal.reason)
  })

  it('limits memory: a delta of a few bytes that expands to a gibibyte', async () => {
    const base = craftGitObject('blob', 'a')
    const delta = Buffer.from([0x01, 0x80, 0x80, 0x80, 0x80, 0x04, 0x90, 0x01])
    const pack = createPackFromEntries([craftPackEntry(3, base.contents), craftPackEntry(7, delta, { base: base.id })])
    const run = await git(['index-pack', '--stdin', '--fix-thin'], { stdin: pack })
    expect(run.exitCode).not.toBe(0)
    expect(run.stderr).toMatch(/out of memory/i)
  })
})
