/** Starts Gitea on the shared PostgreSQL. The binary comes from the PATH or is built once from its Go module. */
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { getOrFillCacheDirectory, isCached } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { buildGoModule, downloadGoModule, type GoModule } from './go-build.ts'
import { ManagedProcess } from './managed-process.ts'
import { randomPassword } from './random-password.ts'
import { runCommand } from './run-command.ts'
import type { RunningPostgres } from './start-postgres.ts'
import { setprivPrefix, unprivilegedUser } from './unprivileged-user.ts'

export interface GiteaAccess {
  url: string
  adminName: string
  adminPassword: string
  adminToken: string
}

export interface RunningGitea {
  process: ManagedProcess
  address: GiteaAccess
}

const module: GoModule = {
  title: 'Gitea',
  path: 'code.gitea.io/gitea',
  version: 'v1.26.4', // 1.27 requires modules that are not published
  sum: 'h1:VDA00oYg16VrQf3sES0NuS/oiDLAIVng/7jKHsBMP/w=',
  commands: { gitea: '.' },
  tags: 'timetzdata',
  expectedSeconds: 360,
}

export interface GiteaBinary {
  gitea: string
  /** Templates and assets. Undefined for a binary from the PATH, which embeds them. */
  staticRoot: string | undefined
}

export const isGiteaAvailable = (): boolean => findBinary('gitea') !== undefined || isCached('gitea', module.version)

/** Downloads what the build needs, if there has to be one. */
export async function downloadGitea(): Promise<void> {
  if (!isGiteaAvailable()) await downloadGoModule(module)
}

export async function getGiteaBinary(): Promise<GiteaBinary> {
  const installed = findBinary('gitea')
  if (installed) return { gitea: installed, staticRoot: undefined }
  const directory = await getOrFillCacheDirectory('gitea', module.version, (partDirectory) =>
    buildGoModule(module, partDirectory),
  )
  return { gitea: join(directory, 'bin/gitea'), staticRoot: join(directory, 'source') }
}

const adminName = 'colophon-admin'

export async function startGitea(
  binary: GiteaBinary,
  directory: string,
  postgres: RunningPostgres,
): Promise<RunningGitea> {
  const runAs = unprivilegedUser()
  const adminPassword = randomPassword()
  await mkdir(directory, { recursive: true })
  if (runAs) await chown(directory, runAs.uid, runAs.gid)
  await createDatabase(postgres.url)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const configFile = join(directory, 'app.ini')
  await writeFile(configFile, configuration(directory, binary.staticRoot, port, postgres))
  if (runAs) await chown(configFile, runAs.uid, runAs.gid) // Gitea writes the secrets that it generates to this file

  const env = { PATH: process.env.PATH, HOME: directory, GITEA_WORK_DIR: directory }
  const gitea = (...args: string[]) =>
    runCommand([...setprivPrefix(runAs), binary.gitea, '--config', configFile, ...args], { cwd: directory, env })
  await gitea('migrate')
  await gitea(
    'admin',
    'user',
    'create',
    '--admin',
    '--must-change-password=false',
    '--username',
    adminName,
    '--password',
    adminPassword,
    '--email',
    `${adminName}@localhost.invalid`,
  )
  const token = ['admin', 'user', 'generate-access-token', '--username', adminName, '--scopes', 'all', '--raw']
  const adminToken = (await gitea(...token)).trim()

  const managedProcess = new ManagedProcess({
    name: 'gitea',
    command: [binary.gitea, '--config', configFile, 'web'],
    cwd: directory,
    env,
    logFile: join(directory, '../..', 'gitea.log'),
    ...(runAs && { user: runAs }),
    isReady: async () => (await fetch(`${url}/api/healthz`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 60,
  })
  await managedProcess.start()
  return { process: managedProcess, address: { url, adminName, adminPassword, adminToken } }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CREATE DATABASE gitea')
  } finally {
    await client.end()
  }
}

function configuration(
  directory: string,
  staticRoot: string | undefined,
  port: number,
  postgres: RunningPostgres,
): string {
  return `APP_NAME = Gitea
RUN_MODE = prod
WORK_PATH = ${directory}

[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
APP_DATA_PATH = ${join(directory, 'data')}
${staticRoot ? `STATIC_ROOT_PATH = ${staticRoot}` : ''}

[database]
DB_TYPE = postgres
HOST = ${postgres.host}:${postgres.port}
NAME = gitea
USER = ${postgres.user}
PASSWD = ${postgres.password}
LOG_SQL = false

[repository]
ROOT = ${join(directory, 'repositories')}
DEFAULT_BRANCH = main

[security]
INSTALL_LOCK = true
; Every test has a person and tokens of its own, and hashing them as slowly as by default took half of Gitea's CPU time.
PASSWORD_HASH_ALGO = pbkdf2$1000$50
SUCCESSFUL_TOKENS_CACHE_SIZE = 5000

[service]
DISABLE_REGISTRATION = true

[webhook]
ALLOWED_HOST_LIST = loopback

[cron.update_checker]
ENABLED = false

[actions]
ENABLED = false

[log]
LEVEL = warn
`
}
