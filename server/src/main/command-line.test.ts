import { expect, onTestFinished, test, vi } from 'vitest'
import { adminCommands } from './admin/admin.ts'
import { type CommandGroup, defineCommand, runCommandLine } from './command-line.ts'
import { UsageError } from './usage-error.ts'

const ran: unknown[] = []
const program: CommandGroup = {
  name: 'tool',
  summary: 'A tool',
  notes: 'See the manual.',
  commands: {
    start: defineCommand({ summary: 'Start it', options: {}, run: async () => void ran.push('start') }),
    read: defineCommand({
      summary: 'Read files',
      description: 'Reads all of them.',
      options: {
        limit: { placeholder: 'N', description: 'Number of lines', parse: (text: string) => Number(text) },
        owner: { placeholder: 'NAME', description: 'Owner', required: true },
        fast: { description: 'Read fast' },
      },
      operands: 'FILE...',
      run: async (values, files) => void ran.push({ ...values }, files),
    }),
    admin: { summary: 'Administer it', load: async () => adminGroup },
  },
}
const adminGroup: CommandGroup = {
  name: 'tool admin',
  summary: 'Administer the tool',
  commands: {
    'key create': defineCommand({ summary: 'Create a key', options: {}, run: async () => void ran.push('key create') }),
    'key list': defineCommand({ summary: 'List keys', options: {}, run: async () => {} }),
    'user list': defineCommand({ summary: 'List users', options: {}, run: async () => {} }),
  },
}

async function outputOf(group: CommandGroup, ...args: string[]): Promise<string> {
  let output = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text)
    return true
  })
  onTestFinished(() => write.mockRestore())
  await runCommandLine(group, args).finally(() => write.mockRestore())
  return output
}

test('runs a command with its parsed options and operands', async () => {
  ran.length = 0
  await runCommandLine(program, ['start'])
  await runCommandLine(program, ['read', 'a.log', '--owner', 'me', '--limit=3', '--fast', '--', '--help'])
  await runCommandLine(program, ['admin', 'key', 'create'])
  expect(ran).toEqual(['start', { limit: 3, owner: 'me', fast: true }, ['a.log', '--help'], 'key create'])
})

test('generates the help of a program', async () => {
  const help = await outputOf(program, '--help')
  expect(help).toBe(
    [
      'Usage: tool COMMAND [OPTIONS]',
      '',
      'A tool.',
      '',
      'Commands:',
      '  start  Start it',
      '  read   Read files',
      '  admin  Administer it',
      '',
      'Options:',
      '  --help, -h  Show this help',
      '  --version   Show the version',
      '',
      "Run 'tool COMMAND --help' for the options of a command.",
      'See the manual.',
      '',
    ].join('\n'),
  )
  for (const args of [['help'], ['-h'], ['--version', '--help']]) expect(await outputOf(program, ...args)).toBe(help)
})

test('generates the help of a command', async () => {
  const help = await outputOf(program, 'read', '--help')
  expect(help).toBe(
    [
      'Usage: tool read --owner NAME [OPTIONS] FILE...',
      '',
      'Read files.',
      '',
      'Reads all of them.',
      '',
      'Options:',
      '  --limit N     Number of lines',
      '  --owner NAME  Owner (required)',
      '  --fast        Read fast',
      '  --help, -h    Show this help',
      '  --version     Show the version',
      '',
    ].join('\n'),
  )
  for (const args of [
    ['help', 'read'],
    ['read', '-h'],
    ['read', '--wrong', '--help'],
  ])
    expect(await outputOf(program, ...args)).toBe(help)
})

test('lists the commands of a group, or those that start with the given words', async () => {
  const all = await outputOf(program, 'admin', '--help')
  expect(all).toContain('  key create  Create a key\n  key list    List keys\n  user list   List users\n')
  const keys = await outputOf(program, 'admin', 'key', '--help')
  expect(keys).toMatch(
    /^Usage: tool admin key COMMAND \[OPTIONS\]\n\nCommands:\n {2}key create .*\n {2}key list .*\n\n/,
  )
})

test('prints the version for the program, a group and a command', async () => {
  for (const args of [[], ['admin'], ['admin', 'key'], ['admin', 'key', 'create'], ['start'], ['read']])
    expect(await outputOf(program, ...args, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test.each<[args: string[], message: string, command: string]>([
  [[], 'Missing command.', 'tool'],
  [['stop'], 'Unknown command "tool stop".', 'tool'],
  [['stop', '--help'], 'Unknown command "tool stop".', 'tool'],
  [['constructor'], 'Unknown command "tool constructor".', 'tool'],
  [['--fast'], "Unknown option '--fast'.", 'tool'],
  [['start', 'now'], 'Unexpected argument "now".', 'tool start'],
  [['start', '--fast'], "Unknown option '--fast'.", 'tool start'],
  [['admin', 'key'], 'Missing command.', 'tool admin key'],
  [['admin', 'key', 'lock'], 'Unknown command "tool admin key lock".', 'tool admin'],
  [['read', 'a.log'], 'Missing option --owner.', 'tool read'],
  [['read', '--owner', 'me'], 'Missing argument: FILE...', 'tool read'],
])('rejects %j and names the command with the right help', async (args, message, name) => {
  const error = await runCommandLine(program, args).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect(error).toMatchObject({ message, command: name })
})

test('every admin command has help that fits on a terminal', async () => {
  for (const name of Object.keys(adminCommands.commands)) {
    const help = await outputOf(adminCommands, ...name.split(' '), '--help')
    expect(help).toContain(`Usage: colophon-server admin ${name}`)
    for (const line of help.split('\n').slice(1)) expect(line.length, line).toBeLessThanOrEqual(120)
  }
})
