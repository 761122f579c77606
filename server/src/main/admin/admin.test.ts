import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ClientList, clientListFile } from '../../analytics/classify/client-list.ts'
import { newId } from '../../platform/ids.ts'
import { runCommandLine } from '../command-line.ts'
import { UsageError } from '../usage-error.ts'
import { adminCommands } from './admin.ts'

const project = newId('prj')
const keyCreate = ['key', 'create', '--project', project, '--name', 'CI']
const memberAdd = ['member', 'add', '--project', project]

function colophonServer(...args: string[]) {
  const program = join(import.meta.dirname, '../colophon-server.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

// None of these can reach a database: options are validated first.
test.each<[message: string, args: string[]]>([
  ['Missing command.', []],
  ['Unknown command "colophon-server admin keys".', ['keys']],
  ['Missing command.', ['key']],
  ['Unexpected argument "now".', ['key', 'create', 'now']],
  ['Unknown command "colophon-server admin toString".', ['toString']],
  ["Unknown option '--projekt'.", ['key', 'list', '--projekt', project]],
  ["Unknown option '--role'.", ['key', 'list', '--role', 'owner']],
  ["Unknown option '--verbose'.", ['--verbose', 'key', 'list']],
  ["'--name <value>' argument missing.", ['project', 'create', '--name']],
  ['Missing option --name.', ['project', 'create']],
  ['Missing option --name.', ['project', 'create', '--name', '']],
  ['--name must not be longer than 100 characters.', ['project', 'create', '--name', 'x'.repeat(101)]],
  ['--name must not contain line breaks', ['project', 'create', '--name', 'a\nb']],
  ['Missing option --project.', ['key', 'create', '--name', 'CI']],
  ['--project must be a project ID such as prj_…, not "Handbook".', ['key', 'list', '--project', 'Handbook']],
  ['--project must be a project ID such as prj_…', ['key', 'list', '--project', newId('key')]],
  ['Missing option --name.', ['key', 'create', '--project', project]],
  ['Unknown scope "agent:wriet". The scopes are agent:read,', [...keyCreate, '--scopes', 'agent:read,agent:wriet']],
  ['--networks: 10.0.0.0/33', [...keyCreate, '--networks', '192.0.2.1, 10.0.0.0/33']],
  ['--expires-in-days must be a number of days', [...keyCreate, '--expires-in-days', 'soon']],
  ['--expires-in-days must be a number of days', [...keyCreate, '--expires-in-days', '0']],
  ['Missing option --key.', ['key', 'revoke', '--project', project]],
  ['Missing option --role.', [...memberAdd, '--email', 'a@example.com']],
  ['--role must be one of owner, editor, viewer', [...memberAdd, '--email', 'a@example.com', '--role', 'king']],
  ['Missing option --email.', [...memberAdd, '--role', 'owner']],
  ['Missing option --email.', ['operator', 'add']],
  ['--email must be an email address, not "root".', ['operator', 'add', '--email', 'root']],
  ['Missing option --format.', ['model', 'add', '--name', 'm', '--url', 'https://example.com/v1']],
  ['--projects must be a project ID such as prj_…', ['model', 'allow', '--name', 'm', '--projects', 'docs']],
  [
    '--max-usd-per-month must be a whole number, not "much".',
    ['budget', 'set', '--project', project, '--max-usd-per-month', 'much'],
  ],
  ['--runner must be a runner ID such as run_…', ['runner', 'revoke', '--runner', project]],
  ['Missing option --file.', ['client-list', 'compare']],
  ['Cannot read --file: ENOENT', ['client-list', 'compare', '--file', '/nowhere/clients.json']],
  ['The client list has errors:', ['client-list', 'update', '--file', import.meta.filename]],
])('reports "%s" for %j', async (message, args) => {
  const error = await runCommandLine(adminCommands, args).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect((error as UsageError).message).toContain(message)
})

test('compares a newer client list with the current one on standard output', () => {
  const list = JSON.parse(readFileSync(clientListFile, 'utf8')) as ClientList
  const newer = { ...list, clients: list.clients.filter(({ name }) => name !== 'GPTBot') }
  const directory = mkdtempSync(join(tmpdir(), 'colophon-clients-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'newer.json')
  writeFileSync(file, JSON.stringify(newer))
  const { status, stdout, stderr } = colophonServer('admin', 'client-list', 'compare', '--file', file)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^- GPTBot: ai-training, by "GPTBot"\n! GPTBot \(ai-training\) -> .*GPTBot/)
})

test('a mistake exits with 2 and points to the help of the command, on standard error', () => {
  expect(colophonServer('admin', 'project', 'create')).toEqual({
    status: 2,
    stdout: '',
    stderr: "colophon-server: Missing option --name.\nRun 'colophon-server admin project create --help' for usage.\n",
  })
  expect(colophonServer('deploy')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'colophon-server: Unknown command "colophon-server deploy".\nRun \'colophon-server --help\' for usage.\n',
  })
})

test('help goes to standard output and exits with 0', () => {
  const { status, stdout, stderr } = colophonServer('admin', 'key', 'create', '--help')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^Usage: colophon-server admin key create --project ID --name NAME \[OPTIONS\]\n/)
  expect(colophonServer('api', '--version')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})
