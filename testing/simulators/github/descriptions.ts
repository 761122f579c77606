/**
 * What GitHub publishes about its API: the OpenAPI description, recorded responses and recorded events. Downloaded once from
 * the npm registry. Only the files that are used are kept; the unpacked packages have 400 MB.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type GithubDescription, type OpenApi, toGithubDescription } from './openapi-to-json-schema.ts'

interface NpmPackage {
  name: string
  version: string
  integrity: string
}

const openapi: NpmPackage = {
  name: '@octokit/openapi',
  version: '23.0.2',
  integrity: 'sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==',
}
const fixtures: NpmPackage = {
  name: '@octokit/fixtures',
  version: '23.1.2',
  integrity: 'sha512-niG+SVffZ/xzojT3CE6M7DlqX7H9aQ75A6Xxjt4N47CkqssKXpSy2k6+Tj5ntcI5uWW2D9POzKxwJDmBfR+sJw==',
}
const webhookExamples: NpmPackage = {
  name: '@octokit/webhooks-examples',
  version: '7.6.1',
  integrity: 'sha512-De6U3XB6O3DtCa7bKgCMzTHdeopqqZ6SNivMYJnK65ierKL1AnNIA0tkRYCRS7lwGT792d+Ps1WbfHlso6MynQ==',
}

/** Version of the files that are kept. Increase it when `toGithubDescription` changes. */
const formatVersion = 3
const version = `${openapi.version}-${fixtures.version}-${webhookExamples.version}-${formatVersion}`

// The same cache as that of the other services: outside the checkout, so that all clones share it.
const userCacheDirectory = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache')
const descriptionsDirectory = join(
  process.env.XDG_CACHE_HOME ?? userCacheDirectory,
  'colophon',
  `github-descriptions-${version}`,
)

/** Returns the directory with the descriptions. The first call fills it. */
export async function getDescriptionsDirectory(): Promise<string> {
  if (existsSync(descriptionsDirectory)) return descriptionsDirectory
  await mkdir(dirname(descriptionsDirectory), { recursive: true })
  // Filled under another name, so that a directory with the final name is always complete.
  const temporaryDirectory = await mkdtemp(`${descriptionsDirectory}-`)
  try {
    await download(temporaryDirectory)
    await rename(temporaryDirectory, descriptionsDirectory).catch((error: unknown) => {
      if (!existsSync(descriptionsDirectory)) throw error // otherwise another process was faster
    })
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true })
  }
  return descriptionsDirectory
}

async function download(directory: string): Promise<void> {
  const openapiPackage = await unpack(openapi, directory, ['package/generated/api.github.com.json'])
  const document = JSON.parse(await readFile(join(openapiPackage, 'generated/api.github.com.json'), 'utf8')) as OpenApi
  await writeFile(join(directory, 'description.json'), JSON.stringify(toGithubDescription(document)))

  const scenarios = join(await unpack(fixtures, directory), 'scenarios/api.github.com')
  await mkdir(join(directory, 'fixtures'))
  for (const name of await readdir(scenarios)) {
    await rename(join(scenarios, name, 'normalized-fixture.json'), join(directory, 'fixtures', `${name}.json`))
  }

  const examples = await unpack(webhookExamples, directory, ['package/api.github.com/index.json'])
  await rename(join(examples, 'api.github.com/index.json'), join(directory, 'webhook-examples.json'))

  await rm(join(directory, 'packages'), { recursive: true })
}

async function readDescriptionFile<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(await getDescriptionsDirectory(), name), 'utf8')) as T
}

export const readDescription = (): Promise<GithubDescription> => readDescriptionFile('description.json')

/** A recorded request to github.com and its response. */
export interface GithubFixtureCall {
  method: string
  path: string
  status: number
  body: unknown
  /** Items of a list are under their index. */
  response: Record<string, unknown>
  headers: Record<string, string | number>
}

export const readFixture = (scenario: string): Promise<GithubFixtureCall[]> =>
  readDescriptionFile(`fixtures/${scenario}.json`)

export interface WebhookEventExamples {
  name: string
  examples: Record<string, unknown>[]
}

export const readWebhookExamples = (): Promise<WebhookEventExamples[]> => readDescriptionFile('webhook-examples.json')

const run = promisify(execFile)

async function unpack(
  { name, version, integrity }: NpmPackage,
  parentDirectory: string,
  members: string[] = [],
): Promise<string> {
  const directory = join(parentDirectory, 'packages', name.replace('/', '-'))
  await mkdir(directory, { recursive: true })
  await run('npm', ['pack', `${name}@${version}`, '--pack-destination', directory, '--loglevel=error'])
  const [archive = ''] = await readdir(directory)
  const digest = createHash('sha512').update(await readFile(join(directory, archive)))
  if (`sha512-${digest.digest('base64')}` !== integrity) {
    throw new Error(`The npm package ${name} ${version} was changed: its sha512 is not ${integrity}.`)
  }
  await run('tar', ['-xzf', archive, ...members], { cwd: directory })
  return join(directory, 'package')
}
