import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addRelease, readReleases } from './releases.ts'
import { isNewer } from './version.ts'

const root = join(import.meta.dirname, '..')
const releases = readReleases(root)

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
const hasHistory = git('rev-parse', '--is-shallow-repository') === 'false'

test('releases are listed from the oldest to the newest, by their complete commits', () => {
  for (const [index, { version, commit }] of releases.entries()) {
    expect(commit, version).toMatch(/^[0-9a-f]{40}$/)
    const previous = releases[index - 1]
    if (previous) expect(isNewer(version, previous.version), `${previous.version}, ${version}`).toBe(true)
  }
})

describe.skipIf(!hasHistory)('in a clone with its history, which git fetch --unshallow adds', () => {
  test.each(releases)('the commit of $version is in the history, and has that version', ({ version, commit }) => {
    expect(() => git('merge-base', '--is-ancestor', commit, 'HEAD')).not.toThrow()
    // 0.1.0 had no version in the package.json of the root.
    const manifest = JSON.parse(git('show', `${commit}:server/package.json`)) as { version: string }
    expect(manifest.version).toBe(version)
  })

  test('every release that is tagged in the history is listed with its commit', () => {
    const tags = git('tag', '--list', 'v*', '--merged', 'HEAD^').split('\n').filter(Boolean)
    const tagged = tags.map((tag) => ({ version: tag.slice(1), commit: git('rev-parse', `${tag}^{commit}`) }))
    for (const release of tagged) expect(releases).toContainEqual(release)
  })
})

test('adds a release that is newer than the last one', () => {
  const text = JSON.stringify([{ version: '0.9.0', commit: 'a' }])
  const release = { version: '0.10.0', commit: 'b' }
  expect(JSON.parse(addRelease(text, release))).toEqual([{ version: '0.9.0', commit: 'a' }, release])
  expect(() => addRelease(text, { version: '0.9.0', commit: 'b' })).toThrow('0.9.0 is not newer than 0.9.0')
})
