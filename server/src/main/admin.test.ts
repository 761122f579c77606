import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ClientList, clientListFile } from '../analytics/classify/client-list.ts'
import { newId } from '../platform/ids.ts'
import { admin } from './admin.ts'
import { UsageError } from './usage-error.ts'

const project = newId('prj')
const forKey = ['key', 'create', '--project', project, '--name', 'CI']
const forMember = ['member', 'add', '--project', project]

// None of these has an engine to turn to: what was typed is looked at first.
test.each<[words: string, args: string[]]>([
  ['', []],
  ['There is no command "admin keys".', ['keys']],
  ['There is no command "admin key".', ['key']],
  ['There is no command "admin key create now".', [...forKey, 'now']],
  ['There is no command "admin toString".', ['toString']],
  ["Unknown option '--projekt'", ['key', 'list', '--projekt', project]],
  ["'--name <value>' argument missing", ['project', 'create', '--name']],
  ['--name is missing.', ['project', 'create']],
  ['--name is missing.', ['project', 'create', '--name', '']],
  ['--name may have at most 100 characters.', ['project', 'create', '--name', 'x'.repeat(101)]],
  ['--project is missing.', ['key', 'create', '--name', 'CI']],
  ['--project has to be an id like prj_…, not Handbook.', ['key', 'list', '--project', 'Handbook']],
  ['--project has to be an id like prj_…', ['key', 'list', '--project', newId('key')]],
  ['--name is missing.', ['key', 'create', '--project', project]],
  ['agent:wriet is not a scope. There are: agent:read,', [...forKey, '--scopes', 'agent:read,agent:wriet']],
  ['--networks: 10.0.0.0/33 has no mask from 0 to 32.', [...forKey, '--networks', '192.0.2.1, 10.0.0.0/33']],
  ['--expires-in-days has to be a number of days.', [...forKey, '--expires-in-days', 'soon']],
  ['--expires-in-days has to be a number of days.', [...forKey, '--expires-in-days', '0']],
  ['--key is missing.', ['key', 'revoke', '--project', project]],
  ['--role has to be one of owner, editor, viewer.', [...forMember, '--email', 'a@example.com']],
  ['--role has to be one of owner, editor, viewer.', [...forMember, '--email', 'a@example.com', '--role', 'king']],
  ['--email is missing.', [...forMember, '--role', 'owner']],
  ['--email is missing.', ['operator']],
  ['--format has to be one of anthropic-messages,', ['model', 'add', '--name', 'm', '--format', 'openai']],
  ["docs is not a project's id.", ['model', 'allow', '--name', 'm', '--projects', 'docs']],
  ['--month-usd has to be a whole number.', ['model', 'budget', '--project', project, '--month-usd', 'much']],
  ['--file is missing.', ['ai-readers', 'compare']],
  ['--file cannot be read: ENOENT', ['ai-readers', 'compare', '--file', '/nowhere/readers.json']],
  ['The client list has errors:\n  It is not JSON', ['ai-readers', 'take', '--file', import.meta.filename]],
])('says "%s" to %j', async (words, args) => {
  const mistake = await admin(args).catch((error: unknown) => error)
  expect(mistake).toBeInstanceOf(UsageError)
  expect((mistake as UsageError).message).toContain(words)
})

test('a newer list of AI readers is compared with ours, on standard output', () => {
  const list = JSON.parse(readFileSync(clientListFile, 'utf8')) as ClientList
  const newer = { ...list, clients: list.clients.filter(({ name }) => name !== 'GPTBot') }
  const directory = mkdtempSync(join(tmpdir(), 'colophon-readers-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'newer.json')
  writeFileSync(file, JSON.stringify(newer))
  const program = join(import.meta.dirname, 'colophon-server.ts')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'admin', 'ai-readers', 'compare', '--file', file],
    { env: { PATH: process.env.PATH }, encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^- GPTBot: ai-training, by "GPTBot"\n! GPTBot \(ai-training\) -> .*GPTBot/)
})

test('a mistake ends with 2, its words and the usage, on standard error alone', () => {
  const program = join(import.meta.dirname, 'colophon-server.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', 'project', 'create'], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^--name is missing\.\n\ncolophon-server admin\n\n {2}project create --name NAME\n/)
})
