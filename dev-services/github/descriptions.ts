/**
 * What GitHub publishes about its API: the OpenAPI description, recorded responses and recorded events. Downloaded once from
 * the npm registry. Only the files that are used are kept; the unpacked packages have 400 MB.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../cache.ts'
import { runCommand } from '../run-command.ts'
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
const formatVersion = 2
const version = `${openapi.version}-${fixtures.version}-${webhookExamples.version}-${formatVersion}`

/** Returns the directory with the descriptions. The first call fills it. */
export const getDescriptionsDirectory = (): Promise<string> =>
  getOrFillCacheDirectory('github-descriptions', version, async (directory) => {
    const openapiDirectory = join(
      await unpack(openapi, directory, ['package/generated/api.github.com.json']),
      'generated',
    )
    const document = JSON.parse(await readFile(join(openapiDirectory, 'api.github.com.json'), 'utf8')) as OpenApi
    await writeFile(join(directory, 'description.json'), JSON.stringify(toGithubDescription(document)))

    const scenarios = join(await unpack(fixtures, directory), 'scenarios/api.github.com')
    await mkdir(join(directory, 'fixtures'))
    for (const name of await readdir(scenarios)) {
      const recorded = await readFile(join(scenarios, name, 'normalized-fixture.json'))
      await writeFile(join(directory, 'fixtures', `${name}.json`), recorded)
    }

    const examples = await unpack(webhookExamples, directory, ['package/api.github.com/index.json'])
    const recorded = await readFile(join(examples, 'api.github.com/index.json'))
    await writeFile(join(directory, 'webhook-examples.json'), recorded)

    await rm(join(directory, 'packages'), { recursive: true, force: true })
  })

export const readDescription = async (): Promise<GithubDescription> =>
  JSON.parse(await readFile(join(await getDescriptionsDirectory(), 'description.json'), 'utf8')) as GithubDescription

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

export const readFixture = async (scenario: string): Promise<GithubFixtureCall[]> =>
  JSON.parse(
    await readFile(join(await getDescriptionsDirectory(), 'fixtures', `${scenario}.json`), 'utf8'),
  ) as GithubFixtureCall[]

export interface WebhookEventExamples {
  name: string
  examples: Record<string, unknown>[]
}

export const readWebhookExamples = async (): Promise<WebhookEventExamples[]> =>
  JSON.parse(
    await readFile(join(await getDescriptionsDirectory(), 'webhook-examples.json'), 'utf8'),
  ) as WebhookEventExamples[]

async function unpack(
  { name, version, integrity }: NpmPackage,
  parentDirectory: string,
  members: string[] = [],
): Promise<string> {
  const directory = join(parentDirectory, 'packages', name.replace('/', '-'))
  await rm(directory, { recursive: true, force: true }) // left by an interrupted download
  await mkdir(directory, { recursive: true })
  await runCommand(['npm', 'pack', `${name}@${version}`, '--pack-destination', directory, '--loglevel=error'])
  const [archive = ''] = await readdir(directory)
  const digest = createHash('sha512').update(await readFile(join(directory, archive)))
  if (`sha512-${digest.digest('base64')}` !== integrity) {
    throw new Error(`The npm package ${name} ${version} was changed: its sha512 is not ${integrity}.`)
  }
  await runCommand(['tar', '-xzf', archive, ...members], { cwd: directory })
  return join(directory, 'package')
}
