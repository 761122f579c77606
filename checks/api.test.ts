import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRelease, releasesFile } from '../release/releases.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { findApiProblems, findBaselines, readDocumentAt } from './api.ts'

const temporary = mkdtempSync(join(tmpdir(), 'colophon-api-'))
const repository = join(temporary, 'repository')
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
const git = async (root: string, ...args: string[]) =>
  (await runCommand(['git', ...identity, ...args], { cwd: root })).trim()
const revisionOf = (root: string, name: string) => git(root, 'rev-parse', `${name}^{commit}`)
const revisions = async (root: string) => (await findBaselines(root)).map(({ revision }) => revision)

async function clone(name: string, ...options: string[]): Promise<string> {
  await git(temporary, 'clone', '--quiet', ...options, `file://${repository}`, name)
  return join(temporary, name)
}

/** Lists the commit that is checked out, in a commit of its own. */
async function recordRelease(root: string, version: string): Promise<void> {
  const file = join(root, releasesFile)
  const text = addRelease(readFileSync(file, 'utf8'), { version, commit: await revisionOf(root, 'HEAD') })
  writeFileSync(file, text)
  await commit(root, `record ${version}`)
}

async function commit(root: string, title: string): Promise<void> {
  writeFileSync(join(root, 'sdk/openapi.json'), JSON.stringify({ paths: {}, info: { title } }))
  await git(root, 'add', '--all')
  await git(root, 'commit', '--quiet', '--message', title)
}

let released: string

beforeAll(async () => {
  for (const folder of ['sdk', 'release']) mkdirSync(join(repository, folder), { recursive: true })
  writeFileSync(join(repository, releasesFile), '[]')
  await git(repository, 'init', '--quiet', '--initial-branch=main')
  await git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'empty')
  for (const title of ['first', 'released']) await commit(repository, title)
  await recordRelease(repository, '0.1.0')
  released = await revisionOf(repository, 'HEAD^')
})

test('compares a branch with the merge base and the last release', async () => {
  const branch = await clone('branch')
  await git(branch, 'switch', '--quiet', '--create', 'feature')
  await commit(branch, 'a change')
  await commit(branch, 'another change')
  expect(await findBaselines(branch)).toEqual([
    { title: 'the merge base with main', revision: await revisionOf(repository, 'main') },
    { title: 'the release 0.1.0', revision: released },
  ])
  expect(await readDocumentAt(branch, released)).toEqual({ paths: {}, info: { title: 'released' } })
})

test('compares main with its previous commit', async () => {
  expect(await revisions(await clone('main'))).toEqual([await revisionOf(repository, 'main^'), released])
})

test('compares the commit of a release with the release before it', async () => {
  const release = await clone('release')
  await commit(release, 'release')
  await recordRelease(release, '0.2.0')
  expect((await revisions(release)).at(-1)).toBe(await revisionOf(release, 'HEAD^'))
  await git(release, 'switch', '--quiet', '--detach', 'HEAD^')
  expect((await revisions(release)).at(-1)).toBe(released)
})

test('finds nothing in a shallow clone, and outside of git', async () => {
  const directory = join(temporary, 'outside')
  mkdirSync(join(directory, 'release'), { recursive: true })
  writeFileSync(join(directory, releasesFile), '[]')
  expect(await findBaselines(await clone('shallow', '--depth=1'))).toEqual([])
  expect(await findBaselines(directory)).toEqual([])
})

test('finds no document in a revision before it was added', async () => {
  expect(await readDocumentAt(repository, 'main~3')).toBeUndefined()
})

test('accepts a listed change, and nothing else', () => {
  const change = 'GET /v2/me was removed'
  const entry = { change, reason: 'Nobody used it.', since: '0.3.0' }
  expect(findApiProblems(new Set(), [])).toEqual([])
  expect(findApiProblems(new Set([change]), [entry])).toEqual([])
  expect(findApiProblems(new Set([change]), [])).toEqual([`Breaks clients: ${change}`])
  expect(findApiProblems(new Set(), [entry])).toEqual([`Listed but not found, so remove the entry: ${change}`])
  expect(findApiProblems(new Set([change]), [{ change, reason: '', since: 'soon' }])).toEqual([
    `Listed without a reason: ${change}`,
    `Listed without a version in \`since\`: ${change}`,
  ])
})
