#!/usr/bin/env node
/** `colophon <command>`: Colophon for people and CI. */
import { readFileSync } from 'node:fs'
import { exitCodes } from './exit-codes.ts'
import { status } from './status.ts'
import { UsageError } from './usage-error.ts'

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const usage = `colophon ${manifest.version}

  colophon status    what works and what does not

      --url URL      where Colophon answers; COLOPHON_URL unless given
      --json         for machines

  colophon --help
  colophon --version

Exit codes: 0 all is well, 1 it is not, 2 the command was not understood.`

async function run([command, ...args]: string[]): Promise<number> {
  if (command === 'help' || command === '--help' || args.includes('--help')) {
    console.log(usage)
    return exitCodes.ok
  }
  switch (command) {
    case 'status':
      return await status(args, process.env)
    case '--version':
      console.log(manifest.version)
      return exitCodes.ok
    case undefined:
      throw new UsageError('Say what to do.')
    default:
      throw new UsageError(`There is no command "${command}".`)
  }
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`colophon: ${error.message}\n\n${usage}`)
  process.exitCode = exitCodes.usage
}
