/**
 * Prepares the volumes of deploy/compose.yml, so that this file is all that a user needs. The volume `secrets` has every
 * secret; each service has a volume of its own with copies of those that it needs, and its configuration files.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { generateKey } from '../../keys/key-format.ts'
import { createSealingKeysFile, readSealingSettings, rotateSealingKeys } from './compose-sealing-keys.ts'

/** Where deploy/compose.yml mounts them. */
const mountDirectory = '/volumes'
const deployDirectory = join(import.meta.dirname, '../../../../deploy')

export async function setUpComposeVolumes(volumes = mountDirectory): Promise<void> {
  const writeVolume = (name: string, files: Readonly<Record<string, string>>) => {
    // Readable by everyone, because each image has another user. Only the services that need the secrets mount the volume.
    for (const [path, content] of Object.entries(files)) writeFile(join(volumes, name, path), content, 0o444)
  }
  const secrets = readOrCreateSecrets(join(volumes, 'secrets'))
  const clickhouseUrl = `http://colophon:${secrets['clickhouse-password']}@clickhouse:8123/colophon`
  const urlsFor = (role: string, password: string) => ({
    'database-url': `postgres://${role}:${password}@postgres:5432/colophon`,
    'clickhouse-url': clickhouseUrl,
  })

  writeVolume('postgres', {
    'passwords/postgres': secrets['postgres-password'],
    'passwords/colophon': secrets['colophon-database-password'],
    'passwords/colophon_api': secrets['api-database-password'],
    'passwords/colophon_worker': secrets['worker-database-password'],
    'passwords/temporal': secrets['temporal-database-password'],
    'create-databases.sh': readDeployFile('postgres/create-databases.sh'),
  })
  writeVolume('temporal', {
    'database-password': secrets['temporal-database-password'],
    'setup-schema.sh': readDeployFile('temporal/setup-schema.sh'),
    'dynamic.yaml': readDeployFile('temporal/dynamic.yaml'),
  })
  writeVolume('clickhouse', {
    'server.xml': readDeployFile('clickhouse/server.xml'),
    'system-logs.xml': readDeployFile('clickhouse/system-logs.xml'),
    'small-machine.xml': readDeployFile('clickhouse/small-machine.xml'),
    'users/users.xml': readDeployFile('clickhouse/users.xml'),
    'users/users.d/password.xml': clickhousePassword(secrets['clickhouse-password']),
    'users/users.d/small-machine-queries.xml': readDeployFile('clickhouse/small-machine-queries.xml'),
  })
  writeVolume('migrate', {
    ...urlsFor('colophon', secrets['colophon-database-password']),
    'runner-token': secrets['runner-token'],
  })
  writeVolume('api', {
    ...urlsFor('colophon_api', secrets['api-database-password']),
    'session-secret': secrets['session-secret'],
    'sealing-public-keys': secrets['sealing-public-keys'],
  })
  writeVolume('worker', {
    ...urlsFor('colophon_worker', secrets['worker-database-password']),
    'sealing-private-keys': secrets['sealing-private-keys'],
  })
  writeVolume('runner', { 'runner-token': secrets['runner-token'] })
}

const sealingKeysFile = 'sealing-keys.json'

/** A step of the rotation: docs/operations/rotate-secrets.md has their order. The services get the keys from `setUpComposeVolumes`. */
export function rotateComposeSealingKeys(step: string, volumes = mountDirectory): void {
  const path = join(volumes, 'secrets', sealingKeysFile)
  writeFile(path, rotateSealingKeys(readFileSync(path, 'utf8'), step), 0o600)
}

const passwordNames = [
  'postgres-password',
  'colophon-database-password',
  'api-database-password',
  'worker-database-password',
  'temporal-database-password',
  'clickhouse-password',
  'session-secret',
] as const

/** Also without the loss of a secret if it is interrupted: an existing one is never replaced. */
function readOrCreateSecrets(directory: string) {
  const passwords = Object.fromEntries(
    passwordNames.map((name) => [name, readOrCreate(join(directory, name), () => randomBytes(24).toString('hex'))]),
  ) as Record<(typeof passwordNames)[number], string>
  // One file, so that the two halves always belong together.
  const { publicKeys, privateKeys } = readSealingSettings(
    readOrCreate(join(directory, sealingKeysFile), createSealingKeysFile),
  )
  return {
    ...passwords,
    'sealing-public-keys': publicKeys,
    'sealing-private-keys': privateKeys,
    'runner-token': readOrCreate(join(directory, 'runner-token'), () => generateKey('colophon_runner_')),
  }
}

function readOrCreate(path: string, create: () => string): string {
  if (!existsSync(path)) writeFile(path, create(), 0o600)
  const secret = readFileSync(path, 'utf8')
  if (secret === '') throw new Error(`${path} is empty. Restore it from a backup, or delete it to create a new secret.`)
  return secret
}

const readDeployFile = (path: string) => readFileSync(join(deployDirectory, path), 'utf8')

/** Renames a complete file, so that an interruption leaves no part of one. */
function writeFile(path: string, content: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.part`
  rmSync(part, { force: true }) // left by an interrupted run; it is read-only, so it cannot be overwritten
  writeFileSync(part, content, { mode, flush: true })
  renameSync(part, path)
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory) // otherwise the name could be lost with the power, and another secret be created
  closeSync(directory)
}

const clickhousePassword = (password: string) =>
  `<clickhouse><users><colophon><password>${password}</password></colophon></users></clickhouse>\n`
