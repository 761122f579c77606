import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { exitCodeTable } from '../exit-codes.ts'
import { createProgram } from '../program/program.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { runColophon } from '../testing/run-colophon.ts'
import { describeCommand, flattenCommands } from './command-tree.ts'
import { environmentVariables } from './environment-variables.ts'

const terminal = createTerminal(process.stdin, process.stdout, process.stderr, {})
const context = { terminal, environment: {}, stdin: process.stdin, setExitCode: () => {} }
const commands = flattenCommands(describeCommand(createProgram(context)))

let bashScript: string
beforeAll(async () => {
  bashScript = (await runColophon(['completion', 'bash'])).stdout
})

/** What bash would offer for this line, of which the last word is not finished. */
function complete(...words: string[]): string[] {
  const script = `${bashScript}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _colophon; printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', 'colophon', ...words], { encoding: 'utf8' })
  return output.split('\n').filter((line) => line !== '')
}

test('bash completes commands, options and choices', () => {
  expect(complete('jo')).toEqual(['job'])
  expect(complete('job', 'c')).toEqual(['create', 'cancel'])
  expect(complete('job', 'create', '--dr')).toEqual(['--draft'])
  expect(complete('job', 'create', '--publish', '')).toEqual(['pull_request', 'diff'])
  expect(complete('job', 'create', '--title', 'x', '--mod')).toEqual(['--model'])
  expect(complete('job', 'create', '--title', '')).toEqual([])
})

test.each(['zsh', 'fish'])('the script for %s names every command and option', async (shell) => {
  const { stdout } = await runColophon(['completion', shell])
  for (const { path, options } of commands) {
    expect(stdout).toContain(path)
    for (const { long } of options) expect(stdout).toContain(long.replace(/^--/, ''))
  }
})

test('the man page has every command, option, environment variable and exit code', async () => {
  const page = (await runColophon(['man'])).stdout
  const roff = (text: string) => text.replaceAll('-', '\\-')
  for (const { usage, options, subcommands } of commands) {
    if (subcommands.length > 0) continue
    expect(page).toContain(`.SS ${roff(usage)}\n`)
    for (const { flags } of options) expect(page).toContain(`.B ${roff(flags)}\n`)
  }
  for (const [name] of environmentVariables) expect(page).toContain(`.B ${name}\n`)
  for (const { code } of exitCodeTable) expect(page).toContain(`.B ${code}\n`)
})

test('the README has the exit codes', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [Number(code), meaning])
  expect(rows).toEqual(exitCodeTable.map(({ code, meaning }) => [code, meaning]))
})
