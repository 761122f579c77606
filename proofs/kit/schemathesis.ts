/** Schemathesis: requests made from the OpenAPI document, valid ones and others, and every answer held against it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cached } from '../../dev-services/cache.ts'
import { runCommand } from '../../dev-services/run-command.ts'
import { originOf } from './people.ts'
import type { Operation } from './route-examples.ts'

export interface FuzzedOperation {
  operation: Operation
  /** One of its own, so that no key comes near its limit of reads. */
  key: string
  /** Real ids for the path, by the parameter's name. Where there is only one it stands in every request. */
  ids: Readonly<Record<string, readonly string[]>>
  /** By rules that a schema cannot say. */
  mayRefuseWith: readonly number[]
}

export interface Fuzzing {
  apiUrl: string
  operations: readonly FuzzedOperation[]
  seed: number
  examplesPerOperation: number
  /** Where it leaves its own files. */
  directory: string
}

/** Returns what it found, in its own words; undefined: nothing. */
export async function findWithSchemathesis(fuzzing: Fuzzing): Promise<string | undefined> {
  const python = await installedPython()
  const configFile = join(fuzzing.directory, 'schemathesis.toml')
  writeFileSync(configFile, configuration(fuzzing), { mode: 0o600 })
  const args = [
    '-m',
    'schemathesis.cli',
    '--config-file',
    configFile,
    'run',
    `${fuzzing.apiUrl}/openapi.json`,
    '--max-response-time',
    '10',
    '--continue-on-failure', // and every check that it has
    '--seed',
    String(fuzzing.seed),
    '--max-examples',
    String(fuzzing.examplesPerOperation),
    // NUL is refused in every text, which no schema says; the requests made by hand send it.
    '--generation-allow-x00',
    'false',
    '--generation-database',
    'none',
    '--suppress-health-check',
    'all',
    '--warnings',
    'off',
    '--no-color',
  ]
  return new Promise((resolve) => {
    execFile(
      python,
      args,
      { cwd: fuzzing.directory, env: { PATH: process.env.PATH }, maxBuffer: 2 ** 28 },
      (error, output, errorOutput) =>
        resolve(error ? failuresOf(output) || `${error.message}\n${errorOutput.slice(-2000)}` : undefined),
    )
  })
}

const failuresOf = (output: string) => output.match(/=+ (?:ERRORS|FAILURES) =+\n[\s\S]*/)?.[0].slice(0, 8000)

const requirementsFile = join(import.meta.dirname, 'schemathesis-requirements.txt')

async function installedPython(): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirementsFile)).digest('hex').slice(0, 12)
  const directory = await cached('schemathesis', version, async (part) => {
    await runCommand(['python3', '-m', 'venv', part])
    await runCommand([
      join(part, 'bin/python'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--require-hashes',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--requirement',
      requirementsFile,
    ])
  })
  // The scripts of a virtual environment name the directory that it was made in; its Python may be moved.
  return join(directory, 'bin/python')
}

/** In TOML, whose strings and lists are written as in JSON. */
function configuration({ operations, apiUrl }: Fuzzing): string {
  const lines = [
    // Ids found in answers are used in the last phase only: before, it would revoke the keys that it works with.
    ...['examples', 'coverage', 'fuzzing'].map((phase) => `phases.${phase}.extra-data-sources.responses = false`),
    // That phase takes requests for invalid which it has meanwhile given valid parts from an answer (4.32.5).
    'phases.stateful.checks.negative_data_rejection.enabled = false',
  ]
  operations.forEach(({ ids }, index) => {
    for (const [name, values] of Object.entries(ids)) {
      if (values.length > 1)
        lines.push(`dictionaries.${dictionaryName(index, name)}.values = ${JSON.stringify(values)}`)
    }
  })
  operations.forEach(({ operation, key, ids, mayRefuseWith }, index) => {
    lines.push('[[operations]]', `include-name = ${JSON.stringify(`${operation.method} ${operation.path}`)}`)
    lines.push(`headers.Authorization = ${JSON.stringify(`Bearer ${key}`)}`)
    lines.push(`headers.Origin = ${JSON.stringify(originOf(apiUrl))}`) // as the dashboard's pages
    for (const [name, values] of Object.entries(ids)) {
      const someOfThem = `{ dictionary = "${dictionaryName(index, name)}", probability = 0.8 }`
      // The phase that covers every keyword of a schema knows no dictionaries: with them, it would only be told 404.
      lines.push(`parameters."path.${name}" = ${values.length === 1 ? JSON.stringify(values[0]) : someOfThem}`)
    }
    if (mayRefuseWith.length > 0) {
      const statuses = ['2xx', '401', '403', '404', '409', '429', ...mayRefuseWith.map(String)]
      lines.push(`checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(statuses)}`)
    }
  })
  return `${lines.join('\n')}\n`
}

const dictionaryName = (index: number, parameter: string) => `${parameter}-${index}`
