/** `colophon keys …` */
import type { ApiKey, CreateKeyData } from '@colophon/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { formatTime } from '../jobs/format-job.ts'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import {
  addInstanceOptions,
  addJsonOption,
  appendValue,
  choiceOption,
  type InstanceOptions,
  type JsonOption,
  withoutUndefined,
} from '../program/command-options.ts'
import { printableLine } from '../terminal/printable.ts'
import { formatTable } from '../terminal/table.ts'

type Scope = ApiKey['scopes'][number]

const scopes: readonly Scope[] = [
  'agent:read',
  'agent:write',
  'agent:approve',
  'analytics:read',
  'analytics:write',
  'project:read',
  'project:write',
]

interface CommonOptions extends InstanceOptions, JsonOption {}

interface CreateOptions extends CommonOptions {
  scope: Scope[]
  expires?: string
  allowNetwork?: readonly string[]
}

export function addKeyCommands(program: Command, context: CommandContext): void {
  const { out, err } = context.terminal
  const keys = program
    .command('keys')
    .summary('list, create and revoke API keys')
    .description('API keys of the project. These commands need an API key with the scope project:write.')

  addJsonOption(addInstanceOptions(keys.command('list')))
    .summary('list API keys, newest first')
    .description('Lists API keys, newest first, without their secrets.')
    .option('--all', 'also keys that are revoked')
    .action(async ({ all, json, ...instance }: CommonOptions & { all?: boolean }) => {
      const { client, projectId } = await connect(context, instance)
      const found: ApiKey[] = []
      for await (const key of client.keys.list(await projectId())) if (all || key.revokedAt === null) found.push(key)
      if (json) out.printJson(found)
      else out.print(formatKeys(found))
    })

  const create = keys
    .command('create')
    .summary('create an API key')
    .description('Creates an API key and prints its secret, which is not shown again.')
    .argument('<name>', 'name of the key, for example of the program that uses it')
    .addOption(choiceOption('--scope <scope...>', 'what the key can do; can be repeated', scopes).makeOptionMandatory())
    .option('--expires <date>', 'date on which it expires, as YYYY-MM-DD; by default it never expires', parseDate)
    .option('--allow-network <cidr>', 'network that the key can be used from; can be repeated', appendValue)
  addJsonOption(addInstanceOptions(create)).action(async (name: string, options: CreateOptions) => {
    const { client, projectId } = await connect(context, options)
    const body: CreateKeyData['body'] = {
      name,
      scopes: options.scope,
      ...withoutUndefined({
        expiresAt: options.expires,
        allowedNetworks: options.allowNetwork && [...options.allowNetwork],
      }),
    }
    const created = await client.keys.create(await projectId(), body)
    if (options.json) out.printJson(created)
    else {
      out.print(printableLine(created.secret))
      err.print(err.style.dim(`Created ${created.key.id}. Store the secret now: it is not shown again.`))
    }
  })

  addJsonOption(addInstanceOptions(keys.command('revoke')))
    .summary('revoke an API key')
    .description('Revokes an API key, and every key that was created with it. It takes effect at the next request.')
    .argument('<key>', 'ID of the key')
    .action(async (keyId: string, options: CommonOptions) => {
      const { client, projectId } = await connect(context, options)
      const result = await client.keys.revoke(await projectId(), keyId)
      if (options.json) out.printJson(result)
      else out.print(`${printableLine(keyId)} is revoked.`)
    })
}

/** At the beginning of the day, in UTC. */
function parseDate(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('Write it as YYYY-MM-DD.')
  return new Date(text).toISOString()
}

const formatKeys = (keys: readonly ApiKey[]): string =>
  formatTable(
    [
      { title: 'ID' },
      { title: 'NAME' },
      { title: 'BEGINS WITH' },
      { title: 'LAST USED (UTC)' },
      { title: 'EXPIRES' },
      { title: 'SCOPES' },
    ],
    keys.map(({ id, name, prefix, lastUsedAt, expiresAt, revokedAt, scopes }) => [
      { text: id },
      { text: printableLine(name) },
      { text: printableLine(prefix) },
      { text: lastUsedAt === null ? 'never' : formatTime(lastUsedAt) },
      { text: revokedAt === null ? (expiresAt?.slice(0, 10) ?? 'never') : 'revoked' },
      { text: scopes.join(' ') },
    ]),
  )
