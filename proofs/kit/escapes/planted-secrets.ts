/** Looks for secrets in everything that a turn can leave behind. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import type { ProofRun } from '../../proof.ts'
import type { AgentProject, AgentService } from '../agents/agent-service.ts'
import { giteaPerson } from '../hosts/gitea-person.ts'

/** By name. */
export type Secrets = Readonly<Record<string, string>>

/** Where something was left, and what. */
export interface Place {
  name: string
  contents: Buffer
}

const run = promisify(execFile)
/** The gateway's and the runner's tokens, whoever they were given to. */
const anyToken = /colophon_(?:attempt|runner)_[0-9A-Za-z]{20,}/

/** Each as "secret in place". */
export function findSecrets(secrets: Secrets, places: readonly Place[]): string[] {
  const forms = Object.entries(secrets).map(([name, secret]) => ({ name, needles: formsOf(Buffer.from(secret)) }))
  return places.flatMap(({ name: place, contents }) => [
    ...forms
      .filter(({ needles }) => needles.some((needle) => contents.includes(needle)))
      .map(({ name }) => `${name} in ${place}`),
    ...(anyToken.test(contents.toString('latin1')) ? [`a token in ${place}`] : []),
  ])
}

/** As it is, in hexadecimal digits, and in Base64, where it looks different after each number of bytes. */
function formsOf(secret: Buffer): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), secret])
      .toString('base64')
      .replace(/=+$/, '')
    return whole.slice(before === 0 ? 0 : before + 1, -1) // the outermost characters depend on what is around
  })
  return [secret.toString('utf8'), secret.toString('hex'), ...inBase64]
}

/** Every row of every table, and what is packed in results, unpacked. */
export async function databasePlaces(
  proof: ProofRun,
  { instance }: AgentService,
  projects: readonly AgentProject[],
): Promise<Place[]> {
  const client = new pg.Client({ connectionString: instance.postgresUrl })
  await client.connect()
  const rowsOf = async (sql: string) => (await client.query(sql)).rows
  const places: Place[] = []
  for (const { name } of await rowsOf("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")) {
    const rows = await rowsOf(`SELECT t::text AS words FROM "${name}" AS t`)
    places.push({ name: `table ${name}`, contents: Buffer.from(rows.map(({ words }) => words).join('\n')) })
  }
  const parts = await rowsOf(`
    SELECT turn_id, part, string_agg(bytes, ''::bytea ORDER BY number) AS bytes, turn_result.project_id
    FROM turn_result_chunk JOIN turn_result USING (turn_id) GROUP BY turn_id, part, turn_result.project_id`)
  await client.end()
  for (const { turn_id, part, bytes, project_id } of parts) {
    const project = projects.find(({ projectId }) => projectId === project_id)
    if (part === 'bundle' && !project) throw new Error(`nobody knows the repository of ${turn_id}`)
    const contents = part === 'session' || !project ? gunzipSync(bytes) : await objectsOf(proof, project, bytes)
    places.push({ name: `${part} of ${turn_id}`, contents })
  }
  return places
}

/** All that a bundle has, and the repository it is for. */
async function objectsOf(proof: ProofRun, { repository }: AgentProject, bundle: Buffer): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-bundle-'))
  proof.cleanUp(() => rm(directory, { recursive: true, force: true }))
  const { url, authorization } = await repository.host.gitRemote()
  const git = (...args: string[]) =>
    run('git', ['-C', directory, '-c', `http.extraHeader=Authorization: ${authorization()}`, ...args], {
      encoding: 'buffer',
      maxBuffer: 256 * 1024 * 1024,
    })
  await git('init', '--quiet', '--bare')
  await git('fetch', '--quiet', url, '+refs/*:refs/*')
  await writeFile(join(directory, 'bundle'), bundle)
  await git('bundle', 'unbundle', join(directory, 'bundle'))
  return (await git('cat-file', '--batch', '--batch-all-objects')).stdout
}

export async function logPlaces({ directory }: AgentService): Promise<Place[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.log'))
  return Promise.all(
    names.map(async (name) => ({ name: `the log ${name}`, contents: await readFile(join(directory, name)) })),
  )
}

export async function pullRequestPlaces({ gitea }: AgentService, { repository }: AgentProject): Promise<Place[]> {
  const person = giteaPerson(gitea.url, `${repository.owner}/${repository.name}`, gitea.adminToken)
  const places: Place[] = []
  for (const seen of await person.pullRequests()) {
    const words = [JSON.stringify(seen), JSON.stringify(await person.commitsOf(seen.number))]
    const contents = Buffer.from([...words, await person.diffOf(seen.number)].join('\n'))
    places.push({ name: `pull request ${seen.number}`, contents })
  }
  return places
}
