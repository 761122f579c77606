/**
 * `colophon-server admin …`: what the person at the machine can do without a dashboard. What a script wants to read (an
 * id, a secret) goes to standard output alone; what a person wants to read goes beside it.
 */
import { parseArgs } from 'node:util'
import { recordAudit } from '../audit/audit-store.ts'
import { networkMistake } from '../keys/key-rules.ts'
import { scopes } from '../keys/scopes.ts'
import { loadEnginesConfig, loadSealingPrivateKeys } from '../platform/config.ts'
import { type Id, isId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { createDatabase, createPool } from '../platform/postgres.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair } from '../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import { memberRoles } from '../projects/member-role.ts'
import type { ProjectTables } from '../projects/tables.ts'
import { openStores, type Stores } from './open-stores.ts'

export const adminUsage = `colophon-server admin

  project create --name NAME
  project list
  key create     --project ID --name NAME [--scopes LIST] [--expires-in-days N] [--networks LIST]
  key list       --project ID
  key revoke     --project ID --key ID
  member add     --project ID --email ADDRESS --role owner|editor|viewer
  sealing-key    makes a pair of sealing keys and prints both settings
  reseal         seals all stored secrets with the first of the sealing keys

LIST is separated by commas. Without --scopes a key is an admin key and has all:
${scopes.join(', ')}.`

/** What was typed is wrong: the message says how, and the usage follows. */
export class UsageError extends Error {}

const operator = { kind: 'operator' } as const

export async function admin(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  const command = positionals.join(' ')
  if (!Object.hasOwn(commands, command))
    throw new UsageError(command === '' ? '' : `There is no command "admin ${command}".`)
  await commands[command as keyof typeof commands](values)
}

/** Each looks at what was typed before it opens anything: a slip of the pen needs no engine to be found. */
const commands = {
  'project create': (options: Options) => {
    const name = text(options, 'name', 100)
    return withStores(async ({ projects }) => {
      const project = await projects.create(name, operator)
      tell('The project was made. Its id:')
      print(project.id)
    })
  },

  'project list': () =>
    withStores(async ({ projects }) => {
      for (const { id, name, createdAt } of await projects.list()) print(`${id}  ${createdAt.toISOString()}  ${name}`)
    }),

  'key create': (options: Options) => {
    const id = projectId(options)
    const wanted = {
      name: text(options, 'name', 100),
      scopes: scopeList(options.scopes),
      allowedNetworks: networkList(options.networks),
      expiresAt: expiry(options['expires-in-days']),
    }
    return withStores(async ({ projects, keys }) => {
      const project = await projects.get(id)
      const { secret } = await keys.create(project.id, wanted, operator)
      tell(`The API key for ${project.name}. It is shown this once and stored nowhere: keep it now.`)
      print(secret)
    })
  },

  'key list': (options: Options) => {
    const id = projectId(options)
    return withStores(async ({ keys }) => {
      for (const key of await keys.list(id)) {
        const state = key.revokedAt
          ? `revoked ${key.revokedAt.toISOString()}`
          : `last used ${key.lastUsedAt?.toISOString() ?? 'never'}`
        print(`${key.id}  ${key.hint}  ${key.scopes.join(',')}  ${state}  ${key.name}`)
      }
    })
  },

  'key revoke': (options: Options) => {
    const [id, keyId] = [projectId(options), text(options, 'key', 100)]
    return withStores(async ({ keys }) => {
      const key = await keys.revoke(id, keyId, operator)
      tell(`${key.name} (${key.hint}) is revoked, and so is every key that it made.`)
    })
  },

  'member add': (options: Options) => {
    const [id, email] = [projectId(options), text(options, 'email', 254)]
    const role = memberRoles.find((known) => known === options.role)
    if (!role) throw new UsageError(`--role has to be one of ${memberRoles.join(', ')}.`)
    return withStores(async ({ projects, members }) => {
      const project = await projects.get(id)
      const member = await members.add(project.id, { email, role }, operator)
      tell(`${member.email} is ${member.role} of ${project.name}.`)
    })
  },

  async 'sealing-key'() {
    const { publicEntry, privateEntry } = generateSealingKeyPair()
    tell('For api:')
    print(`COLOPHON_SEALING_PUBLIC_KEYS=${publicEntry}`)
    tell('For worker, and for serve. Whoever has this can open every stored secret:')
    print(`COLOPHON_SEALING_PRIVATE_KEYS=${privateEntry}`)
  },

  reseal: async () => {
    const sealingKeys = loadSealingPrivateKeys()
    const { pool } = open()
    try {
      const store = new CredentialStore(createDatabase<ProjectTables>(pool), createSealer(sealingKeys), recordAudit)
      const { resealed, current } = await store.resealAll(createOpener(sealingKeys))
      tell(`${resealed} secrets were sealed anew, ${current} had the current key already.`)
    } finally {
      await pool.end()
    }
  },
} satisfies Record<string, (options: Options) => Promise<void>>

const optionNames = ['name', 'project', 'scopes', 'expires-in-days', 'networks', 'key', 'email', 'role'] as const
type Options = Partial<Record<(typeof optionNames)[number], string>>

function readArguments(args: readonly string[]): { values: Options; positionals: string[] } {
  try {
    const options = Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }]))
    return parseArgs({ args: [...args], options, allowPositionals: true }) as { values: Options; positionals: string[] }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function open() {
  const config = loadEnginesConfig()
  return { pool: createPool(config.postgres, createLog('admin', config.log)) }
}

async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const { pool } = open()
  try {
    await work(openStores(pool))
  } finally {
    await pool.end()
  }
}

function text(options: Options, name: keyof Options, mostCharacters: number): string {
  const value = options[name]
  if (!value) throw new UsageError(`--${name} is missing.`)
  if ([...value].length > mostCharacters)
    throw new UsageError(`--${name} may have at most ${mostCharacters} characters.`)
  return value
}

function projectId(options: Options): Id<'prj'> {
  const value = text(options, 'project', 100)
  if (!isId('prj', value))
    throw new UsageError(`--project has to be an id like prj_…, not ${value}. See: admin project list`)
  return value
}

function scopeList(list: string | undefined) {
  if (list === undefined) return scopes
  return list.split(',').map((name) => {
    const scope = scopes.find((known) => known === name.trim())
    if (!scope) throw new UsageError(`${name} is not a scope. There are: ${scopes.join(', ')}.`)
    return scope
  })
}

function networkList(list: string | undefined): string[] {
  const networks = list?.split(',').map((network) => network.trim()) ?? []
  for (const mistake of networks.map(networkMistake)) if (mistake) throw new UsageError(`--networks: ${mistake}.`)
  return networks
}

function expiry(days: string | undefined): Date | null {
  if (days === undefined) return null
  const number = Number(days)
  if (!(number > 0 && number <= 36_500)) throw new UsageError('--expires-in-days has to be a number of days.')
  return new Date(Date.now() + number * 24 * 3600 * 1000)
}

const print = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => process.stderr.write(`${line}\n`)
