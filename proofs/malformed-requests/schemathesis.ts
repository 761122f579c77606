/** Runs Schemathesis: it generates valid and invalid requests from the OpenAPI document and checks every response against it. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toLocalhostOrigin } from '../../testing/harness/people.ts'
import { getPythonWith } from '../../testing/services/python-packages.ts'
import type { ApiOperation } from '../judges/route-examples.ts'

export interface FuzzTarget {
  operation: ApiOperation
  /** Each operation has its own key, so that no key reaches its read rate limit. */
  key: string
  /** Real ids by path parameter. If there is only one, every request uses it. */
  ids: Readonly<Record<string, readonly string[]>>
  /** Statuses of rejections by rules that a schema cannot express. */
  allowedRejections: readonly number[]
}

export interface SchemathesisOptions {
  apiUrl: string
  operations: readonly FuzzTarget[]
  seed: number
  examplesPerOperation: number
  /** For its configuration and output files. */
  directory: string
}

/** Returns the failures as Schemathesis prints them, or undefined. */
export async function runSchemathesis(options: SchemathesisOptions): Promise<string | undefined> {
  const python = await getPythonWith('schemathesis', requirementsFile)
  const configFile = join(options.directory, 'schemathesis.toml')
  writeFileSync(configFile, renderConfiguration(options), { mode: 0o600 })
  const args = [
    '-m',
    'schemathesis.cli',
    '--config-file',
    configFile,
    'run',
    await writeDescription(options),
    '--url',
    options.apiUrl,
    '--max-response-time',
    '10',
    '--continue-on-failure', // and run all checks
    '--seed',
    String(options.seed),
    '--max-examples',
    String(options.examplesPerOperation),
    // NUL is rejected in every text, which no schema can say. The handwritten requests send it.
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
      { cwd: options.directory, env: { PATH: process.env.PATH }, maxBuffer: 2 ** 28 },
      (error, output, errorOutput) =>
        resolve(error ? failuresOf(output) || `${error.message}\n${errorOutput.slice(-2000)}` : undefined),
    )
  })
}

interface Description {
  paths: Record<string, Record<string, DescribedOperation>>
}

interface DescribedOperation {
  parameters?: { name: string; in: string; schema: { examples?: readonly string[] } }[]
  requestBody?: { content: Record<string, unknown> }
}

/**
 * The service's own description, except for two things:
 * - It has no bodies as NDJSON, which Schemathesis cannot send, not even the examples. Other proofs send them:
 *   `hostile-ingest`, `views-are-exact`.
 * - The examples of path parameters are real IDs. Otherwise it depends on the seed whether any request has one, because
 *   a parameter in the configuration has a value from its dictionary only with some probability.
 */
async function writeDescription({ apiUrl, directory, operations }: SchemathesisOptions): Promise<string> {
  const description = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as Description
  for (const described of Object.values(description.paths).flatMap((methods) => Object.values(methods)))
    delete described.requestBody?.content['application/x-ndjson']
  for (const { operation, ids } of operations) {
    const parameters = description.paths[operation.path]?.[operation.method.toLowerCase()]?.parameters ?? []
    for (const parameter of parameters) {
      const values = parameter.in === 'path' ? ids[parameter.name] : undefined
      if (values) parameter.schema.examples = values
    }
  }
  const file = join(directory, 'openapi.json')
  writeFileSync(file, JSON.stringify(description))
  return file
}

const failuresOf = (output: string) => output.match(/=+ (?:ERRORS|FAILURES) =+\n[\s\S]*/)?.[0].slice(0, 8000)

const requirementsFile = join(import.meta.dirname, 'schemathesis-requirements.txt')

const rejectionStatuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, '5xx'].map(String)

/** The configuration in TOML, whose strings and lists have the syntax of JSON. */
function renderConfiguration({ operations, apiUrl }: SchemathesisOptions): string {
  const lines = [
    // Ids from responses are used only in the last phase. Earlier, Schemathesis would revoke the keys that it uses itself.
    ...['examples', 'coverage', 'fuzzing'].map((phase) => `phases.${phase}.extra-data-sources.responses = false`),
    // In that phase, requests count as invalid although Schemathesis has put valid values from a response into them (4.32.5).
    'phases.stateful.checks.negative_data_rejection.enabled = false',
    // Its default, with 413: a parameter may be larger than all headers may be.
    `checks.negative_data_rejection.expected-statuses = ${JSON.stringify(rejectionStatuses)}`,
  ]
  operations.forEach(({ ids }, index) => {
    for (const [name, values] of Object.entries(ids)) {
      if (values.length > 1)
        lines.push(`dictionaries.${dictionaryName(index, name)}.values = ${JSON.stringify(values)}`)
    }
  })
  operations.forEach(({ operation, key, ids, allowedRejections }, index) => {
    lines.push('[[operations]]', `include-name = ${JSON.stringify(`${operation.method} ${operation.path}`)}`)
    lines.push(`headers.Authorization = ${JSON.stringify(`Bearer ${key}`)}`)
    lines.push(`headers.Origin = ${JSON.stringify(toLocalhostOrigin(apiUrl))}`) // the origin of the dashboard
    for (const [name, values] of Object.entries(ids)) {
      const fromDictionary = `{ dictionary = "${dictionaryName(index, name)}", probability = 0.8 }`
      // The coverage phase does not support dictionaries: with them, every response would be 404.
      lines.push(`parameters."path.${name}" = ${values.length === 1 ? JSON.stringify(values[0]) : fromDictionary}`)
    }
    if (allowedRejections.length > 0) {
      const statuses = ['2xx', '401', '403', '404', '409', '429', ...allowedRejections.map(String)]
      lines.push(`checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(statuses)}`)
    }
  })
  return `${lines.join('\n')}\n`
}

const dictionaryName = (index: number, parameter: string) => `${parameter}-${index}`
