import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

async function commit(root: string, title: string): Promise<void> {
  writeFileSync(join(root, 'sdk/openapi.json'), JSON.stringify({ paths: {}, info: { title } }))
  await git(root, 'add', '--all')
  await git(root, 'commit', '--quiet', '--message', title)
}

beforeAll(async () => {
  mkdirSync(join(repository, 'sdk'), { recursive: true })
  await git(repository, 'init', '--quiet', '--initial-branch=main')
  await git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'empty')
  for (const title of ['first', 'released', 'third']) await commit(repository, title)
  await git(repository, 'tag', 'v0.1.0', 'HEAD^')
})

test('compares a branch with the merge base and the last release', async () => {
  const branch = await clone('branch')
  await git(branch, 'switch', '--quiet', '--create', 'feature')
  await commit(branch, 'a change')
  await commit(branch, 'another change')
  expect(await findBaselines(branch)).toEqual([
    { title: 'the merge base with main', revision: await revisionOf(repository, 'main') },
    { title: 'the release v0.1.0', revision: 'v0.1.0' },
  ])
  expect(await readDocumentAt(branch, 'v0.1.0')).toEqual({ paths: {}, info: { title: 'released' } })
})

test('compares main with its previous commit', async () => {
  expect(await revisions(await clone('main'))).toEqual([await revisionOf(repository, 'main^'), 'v0.1.0'])
})

test('compares the commit of a release with the release before it', async () => {
  const release = await clone('release')
  await commit(release, 'release')
  await git(release, 'tag', 'v0.2.0')
  expect((await revisions(release)).at(-1)).toBe('v0.1.0')
})

test('finds nothing in a shallow clone, and outside of git', async () => {
  expect(await findBaselines(await clone('shallow', '--depth=1'))).toEqual([])
  expect(await findBaselines(temporary)).toEqual([])
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
