/** Searches everything that a turn can leave behind for secrets. */

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { ProjectWithClient, RunningColophon } from '../../testing/harness/colophon.ts'
import { createGiteaUserClient } from '../../testing/harness/hosts/gitea-user-client.ts'
import type { ProofRun } from '../proof.ts'

/** Secrets by name. */
export type Secrets = Readonly<Record<string, string>>

/** Something that was left behind, and where. */
export interface Artifact {
  name: string
  contents: Buffer
}

const run = promisify(execFile)
/** Any runner or attempt token. */
const anyToken = /colophon_(?:attempt|runner)_[0-9A-Za-z]{20,}/

/** Returns findings as "secret in artifact". */
export function findLeakedSecrets(secrets: Secrets, artifacts: readonly Artifact[]): string[] {
  const encodedSecrets = Object.entries(secrets).map(([name, secret]) => ({
    name,
    needles: encodingsOf(Buffer.from(secret)),
  }))
  return artifacts.flatMap(({ name: artifact, contents }) => [
    ...encodedSecrets
      .filter(({ needles }) => needles.some((needle) => contents.includes(needle)))
      .map(({ name }) => `${name} in ${artifact}`),
    ...(anyToken.test(contents.toString('latin1')) ? [`a token in ${artifact}`] : []),
  ])
}

/** Plain, in hexadecimal, and in Base64, which differs with the number of preceding bytes modulo three. */
function encodingsOf(secret: Buffer): string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), secret])
      .toString('base64')
      .replace(/=+$/, '')
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1) // the outermost characters depend on the surrounding bytes
  })
  return [secret.toString('utf8'), secret.toString('hex'), ...inBase64]
}

/** Every row of every table, and the unpacked contents of results. */
export async function readDatabaseArtifacts(
  proof: ProofRun,
  { pool }: RunningColophon,
  projects: readonly ProjectWithClient[],
): Promise<Artifact[]> {
  const query = async (sql: string) => (await pool.query(sql)).rows
  const artifacts: Artifact[] = []
  for (const { name } of await query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")) {
    const rows = await query(`SELECT t::text AS text FROM "${name}" AS t`)
    artifacts.push({ name: `table ${name}`, contents: Buffer.from(rows.map(({ text }) => text).join('\n')) })
  }
  const parts = await query(`
    SELECT turn_id, part, string_agg(bytes, ''::bytea ORDER BY number) AS bytes, turn_result.project_id
    FROM turn_result_chunk JOIN turn_result USING (turn_id) GROUP BY turn_id, part, turn_result.project_id`)
  for (const { turn_id, part, bytes, project_id } of parts) {
    const project = projects.find(({ projectId }) => projectId === project_id)
    if (part === 'bundle' && !project) throw new Error(`the repository of ${turn_id} is unknown`)
    const contents = part === 'session' || !project ? gunzipSync(bytes) : await readBundleObjects(proof, project, bytes)
    artifacts.push({ name: `${part} of ${turn_id}`, contents })
  }
  return artifacts
}

/** All objects of a bundle and of the repository that it is for. */
async function readBundleObjects(proof: ProofRun, { repository }: ProjectWithClient, bundle: Buffer): Promise<Buffer> {
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

export async function readLogArtifacts({ directory }: RunningColophon): Promise<Artifact[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.log'))
  return Promise.all(
    names.map(async (name) => ({ name: `the log ${name}`, contents: await readFile(join(directory, name)) })),
  )
}

export async function readPullRequestArtifacts(
  { addresses: { gitea } }: RunningColophon,
  { repository }: ProjectWithClient,
): Promise<Artifact[]> {
  const person = createGiteaUserClient(gitea.url, `${repository.owner}/${repository.name}`, gitea.adminToken)
  const artifacts: Artifact[] = []
  for (const pullRequest of await person.pullRequests()) {
    const texts = [JSON.stringify(pullRequest), JSON.stringify(await person.pullRequestCommits(pullRequest.number))]
    const contents = Buffer.from([...texts, await person.pullRequestDiff(pullRequest.number)].join('\n'))
    artifacts.push({ name: `pull request ${pullRequest.number}`, contents })
  }
  return artifacts
}
