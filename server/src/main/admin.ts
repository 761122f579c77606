/**
 * `colophon-server admin …`: what the person at the machine can do without a dashboard. What a script wants to read (an
 * id, a secret) goes to standard output alone; what a person wants to read goes beside it.
 */
import { text as readStream } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import type { WantedRepository } from '../api/repository/code-hosts.ts'
import { recordAudit } from '../audit/audit-store.ts'
import { defaultTemplates, problemsOfTemplates } from '../code-hosts/text/pull-request-text.ts'
import { generateKey, hashOfKey } from '../keys/key-format.ts'
import { networkMistake } from '../keys/key-rules.ts'
import { scopes } from '../keys/scopes.ts'
import { modelFormats } from '../models/model.ts'
import { emailPattern } from '../people/email.ts'
import { memberRoles } from '../people/member-role.ts'
import { loadCodeHostConfig, loadLinkConfig, loadPostgresConfig, loadSealingPrivateKeys } from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { createDatabase, createPool } from '../platform/postgres.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair } from '../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import { maxInstructionCharacters } from '../projects/project-store.ts'
import type { PublishingSettings } from '../projects/publishing-settings.ts'
import type { ProjectTables } from '../projects/tables.ts'
import { modelOptionNames, readModel, saveModel, testTypedModel } from './add-model.ts'
import { ownerLink } from './announce-first-owner.ts'
import { connectRepository } from './connect-repository.ts'
import { openStores, type Stores } from './open-stores.ts'
import { compareClientList, updateClientList } from './update-client-list.ts'
import { UsageError } from './usage-error.ts'

const adminUsage = `colophon-server admin

  project create --name NAME
  project list
  project pause  --project ID
  project resume --project ID
  project instructions --project ID; what every job's agent is told is read from standard input, nothing takes it back
  key create     --project ID --name NAME [--scopes LIST] [--expires-in-days N] [--networks LIST]
  key list       --project ID
  key revoke     --project ID --key ID
  member add     --project ID --email ADDRESS --role owner|editor|viewer
  owner-link     a link that makes the first owner, as long as nobody runs the installation
  operator       --email ADDRESS; somebody who can sign in runs the installation from now on
  password-link  --email ADDRESS; a link to set a new password for somebody who can sign in
  repository connect --project ID --host gitea|github --url URL --repository OWNER/NAME --branch NAME
                 [--docs-folder PATH] [--labels LIST] [--reviewers LIST] [--draft] [--sign-off]
                 [--branch-template TEXT] [--title-template TEXT] [--body-template TEXT];
                 the token is read from standard input
  model add      --name NAME --format FORMAT --url URL --context-window N --max-output N [--provider-model NAME]
                 [--input-price USD] [--output-price USD] [--cache-read-price USD] [--cache-write-price USD]
                 [--projects LIST] [--default] [--no-test]; the provider's key is read from standard input
  model list
  model remove   --name NAME
  model allow    --name NAME [--projects LIST]
  model budget   --project ID [--job-tokens N] [--month-tokens N] [--month-usd N]
  runner create  --name NAME [--projects LIST]
  runner revoke  --runner ID
  ai-readers compare --file PATH   shows what a newer list of AI readers would change
  ai-readers take    --file PATH   and puts it in the place of ours; in a checkout, which the image is then built from
  sealing-key    makes a pair of sealing keys and prints both settings
  reseal         seals all stored secrets with the first of the sealing keys

LIST is separated by commas; without --projects it is for all. FORMAT is one of ${modelFormats.join(', ')}.
Prices are per million tokens. Without --scopes a key is an admin key and has all:
${scopes.join(', ')}.`

const operator = { kind: 'operator' } as const

export async function admin(args: readonly string[]): Promise<void> {
  try {
    await run(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message ? `${error.message}\n\n${adminUsage}` : adminUsage)
  }
}

async function run(args: readonly string[]): Promise<void> {
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
      for (const { id, name, createdAt, pausedAt } of await projects.list())
        print(`${id}  ${createdAt.toISOString()}  ${name}${pausedAt ? `  paused ${pausedAt.toISOString()}` : ''}`)
    }),

  'project pause': (options: Options) => {
    const id = projectId(options)
    return withStores(async ({ pauses }) => {
      const isNew = await pauses.pause(id, operator)
      tell(isNew ? 'The project is paused: turns stop within seconds, and jobs wait.' : 'It was paused before.')
    })
  },

  'project resume': (options: Options) => {
    const id = projectId(options)
    return withStores(async ({ pauses }) => {
      tell((await pauses.resume(id, operator)) ? 'Its jobs go on.' : 'The project is not paused.')
    })
  },

  'project instructions': async (options: Options) => {
    const id = projectId(options)
    const instructions = (await readStdin('what to tell the agent in every job, or nothing')) || null
    if (instructions && (instructions.length > maxInstructionCharacters || instructions.includes('\0')))
      throw new UsageError(`Instructions are text of at most ${maxInstructionCharacters} characters.`)
    await withStores(({ projects }) => projects.setInstructions(id, instructions, operator))
    tell(instructions ? 'The agent is told so from the next turn on.' : 'The project has no instructions of its own.')
  },

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
    return withStores(async ({ projects, keys }) => {
      await projects.get(id)
      for (const key of await keys.list(id, { limit: 1_000, before: undefined })) {
        const state = key.revokedAt
          ? `revoked ${key.revokedAt.toISOString()}`
          : `last used ${key.lastUsedAt?.toISOString() ?? 'never'}`
        print(`${key.id}  ${key.prefix}  ${key.scopes.join(',')}  ${state}  ${key.name}`)
      }
    })
  },

  'key revoke': (options: Options) => {
    const id = projectId(options)
    const keyId = text(options, 'key', 100)
    return withStores(async ({ keys }) => {
      const key = await keys.revoke(id, keyId, operator)
      tell(`${key.name} (${key.prefix}) is revoked, and so is every key that it made.`)
    })
  },

  'member add': (options: Options) => {
    const id = projectId(options)
    const email = text(options, 'email', 254)
    if (!new RegExp(emailPattern).test(email)) throw new UsageError(`${email} is not an email address.`)
    const role = memberRoles.find((known) => known === options.role)
    if (!role) throw new UsageError(`--role has to be one of ${memberRoles.join(', ')}.`)
    return withStores(async ({ projects, members }) => {
      const project = await projects.get(id)
      const member = await members.add(project.id, { email, role }, operator)
      tell(`${member.email} is ${member.role} of ${project.name}.`)
      if (!member.hasJoined) tell('They come in with an invitation of this project, and not before.')
    })
  },

  'repository connect': async (options: Options) => {
    const id = projectId(options)
    if (options.host !== 'gitea' && options.host !== 'github') throw new UsageError('--host has to be gitea or github.')
    const [owner = '', name = '', ...rest] = text(options, 'repository', 300).split('/')
    if (!owner || !name || rest.length > 0) throw new UsageError('--repository has to be OWNER/NAME.')
    const wanted: WantedRepository = {
      host: options.host,
      owner,
      name,
      baseUrl: text(options, 'url', 500).replace(/\/+$/, ''),
      baseBranch: text(options, 'branch', 200),
      docsFolder: (options['docs-folder'] ?? '').replace(/^\/+|\/+$/g, ''),
      publishing: publishingSettings(options),
    }
    const config = loadCodeHostConfig()
    const token = await readToken()
    await withStores(async (stores, pool) => {
      const project = await stores.projects.get(id)
      const parts = { stores, pool, config, projectId: project.id, wanted, token, actor: operator }
      tell((await connectRepository(parts)).told)
    })
  },

  'owner-link': async () => {
    const { publicUrl } = loadLinkConfig()
    await withStores(async ({ people }) => {
      if (await people.hasOperator())
        throw new UsageError('Somebody runs the installation already. To add another: admin operator --email ADDRESS')
      tell('The first owner opens this link, once, within 24 hours:')
      print(ownerLink(publicUrl, await people.newOwnerToken()))
    })
  },

  operator: (options: Options) => {
    const email = text(options, 'email', 254)
    return withStores(async ({ people }) => {
      await people.makeOperator(email)
      tell(`${email} runs the installation from now on.`)
    })
  },

  'password-link': async (options: Options) => {
    const { publicUrl } = loadLinkConfig()
    const email = text(options, 'email', 254)
    await withStores(async ({ people }) => {
      const token = await people.newPasswordToken(email)
      tell(`Whoever opens this link, once, within 24 hours, sets the password of ${email}:`)
      print(`${publicUrl}/new-password#${token}`)
    })
  },

  'model add': async (options: Options) => {
    const model = { ...readModel(options), projectIds: projectList(options), isDefault: options.default ?? false }
    const config = loadCodeHostConfig()
    const key = (await readStdin("the provider's key, or nothing where it wants none")) || null
    const wrong = options['no-test'] ? undefined : await testTypedModel(config, model, key)
    if (wrong) throw new Problem('invalid_request', `${wrong} Nothing was saved; --no-test saves it as it is.`)
    await withStores((_stores, pool) => saveModel(pool, config, model, key))
    tell(`The model ${model.name} is there for ${model.projectIds ? 'the given' : 'all'} projects.`)
  },

  'model list': () =>
    withStores(async ({ models }) => {
      for (const { name, format, baseUrl, providerModel, projectIds, isDefault } of await models.list()) {
        const known = `${format}  ${baseUrl}  ${providerModel}`
        print(`${name}  ${known}  ${projectIds?.join(',') ?? 'all projects'}${isDefault ? '  default' : ''}`)
      }
    }),

  'model remove': (options: Options) => {
    const name = text(options, 'name', 100)
    return withStores(async ({ models }) => {
      await models.remove(name)
      tell(`The model ${name} is gone, and with it its key. Jobs that are for it get no more answers.`)
    })
  },

  'model allow': (options: Options) => {
    const name = text(options, 'name', 100)
    const projects = projectList(options)
    return withStores(async ({ models }) => {
      await models.allow(name, projects)
      tell(`The model ${name} is for ${projects ? 'the given' : 'all'} projects.`)
    })
  },

  'model budget': (options: Options) => {
    const id = projectId(options)
    const budget = {
      maxTokensPerJob: amount(options, 'job-tokens'),
      maxTokensPerMonth: amount(options, 'month-tokens'),
      maxUsdPerMonth: amount(options, 'month-usd'),
    }
    return withStores(async ({ projects, budgets }) => {
      const project = await projects.get(id)
      await budgets.set(id, budget, operator)
      tell(`The budget of ${project.name} is set. What was not given is as the settings have it.`)
    })
  },

  'runner create': (options: Options) => {
    const name = text(options, 'name', 100)
    const projects = projectList(options)
    return withStores(async ({ runners }) => {
      const token = generateKey('colophon_runner_')
      const runner = await runners.create(name, hashOfKey(token), projects)
      tell(`The token of runner ${runner.id}. It is shown this once and stored nowhere: keep it now.`)
      print(token)
    })
  },

  'runner revoke': (options: Options) => {
    const id = text(options, 'runner', 100)
    if (!isId('run', id)) throw new UsageError('--runner has to be an id like run_….')
    return withStores(async ({ runners }) => {
      tell(
        (await runners.revoke(id))
          ? 'The runner is revoked: it gets no more turns.'
          : 'There is no such runner, or it was revoked before.',
      )
    })
  },

  'ai-readers compare': async (options: Options) => {
    for (const line of compareClientList(text(options, 'file', 4_096)).difference) print(line)
  },

  'ai-readers take': async (options: Options) => {
    const { list, difference } = compareClientList(text(options, 'file', 4_096))
    for (const line of difference) print(line)
    updateClientList(list)
    tell(`The list of ${list.version} is in place: run \`npm run fix\`, which formats it, and commit it.`)
    tell('Processes that run go on with theirs until they are started again.')
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
      const opener = createOpener(sealingKeys)
      const sealer = createSealer(sealingKeys)
      const ofProjects = await store.resealAll(opener)
      const { models, githubApps } = openStores(pool)
      const ofModels = await models.resealAll(opener, sealer)
      const ofApps = await githubApps.resealAll(opener, sealer)
      const resealed = ofProjects.resealed + ofModels.resealed + ofApps.resealed
      const current = ofProjects.current + ofModels.current + ofApps.current
      tell(`${resealed} secrets were sealed anew, ${current} had the current key already.`)
    } finally {
      await pool.end()
    }
  },
} satisfies Record<string, (options: Options) => Promise<void>>

const optionNames = [
  'name',
  'project',
  'scopes',
  'expires-in-days',
  'networks',
  'key',
  'email',
  'role',
  'host',
  'url',
  'repository',
  'branch',
  'docs-folder',
  'labels',
  'reviewers',
  'projects',
  'runner',
  'file',
  'branch-template',
  'title-template',
  'body-template',
  ...modelOptionNames,
  'job-tokens',
  'month-tokens',
  'month-usd',
]
const flagNames = ['draft', 'sign-off', 'default', 'no-test'] as const
type Options = Partial<Record<(typeof optionNames)[number], string> & Record<(typeof flagNames)[number], boolean>>

function readArguments(args: readonly string[]): { values: Options; positionals: string[] } {
  try {
    const options = Object.fromEntries([
      ...optionNames.map((name) => [name, { type: 'string' as const }]),
      ...flagNames.map((name) => [name, { type: 'boolean' as const }]),
    ])
    return parseArgs({ args: [...args], options, allowPositionals: true }) as { values: Options; positionals: string[] }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function open() {
  const config = loadPostgresConfig()
  return { pool: createPool(config.postgres, createLog('admin', config.log)) }
}

async function withStores(work: (stores: Stores, pool: Pool) => Promise<void>): Promise<void> {
  const { pool } = open()
  try {
    await work(openStores(pool), pool)
  } finally {
    await pool.end()
  }
}

/** Not an option: what is typed there is in the shell's history and in every list of processes. */
async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) tell(`Paste ${what} and press Enter, then Ctrl-D:`)
  return (await readStream(process.stdin)).trim()
}

async function readToken(): Promise<string> {
  const token = await readStdin("the code host's token")
  if (!token) throw new UsageError('The token is missing: give it on standard input.')
  return token
}

const commaList = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function publishingSettings(options: Options): PublishingSettings {
  const { draft, 'branch-template': branch, 'title-template': title, 'body-template': body } = options
  const problems = problemsOfTemplates({
    branch: branch ?? defaultTemplates.branch,
    title: title ?? defaultTemplates.title,
    body: body ?? defaultTemplates.body,
  })
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  return {
    ...(options.labels && { labels: commaList(options.labels) }),
    ...(options.reviewers && { reviewers: commaList(options.reviewers) }),
    ...(draft && { draft }),
    ...(options['sign-off'] && { signOff: true }),
    ...(branch && { branchTemplate: branch }),
    ...(title && { titleTemplate: title }),
    ...(body && { bodyTemplate: body }),
  }
}

function projectList({ projects }: Options): Id<'prj'>[] | null {
  if (projects === undefined) return null
  return commaList(projects).map((project) => {
    if (!isId('prj', project)) throw new UsageError(`${project} is not a project's id.`)
    return project
  })
}

function amount(options: Options, name: 'job-tokens' | 'month-tokens' | 'month-usd'): number | null {
  const value = options[name]
  if (value === undefined) return null
  if (!/^\d{1,12}$/.test(value)) throw new UsageError(`--${name} has to be a whole number.`)
  return Number(value)
}

function text(options: Options, name: (typeof optionNames)[number], maxCharacters: number): string {
  const value = options[name]
  if (!value?.trim()) throw new UsageError(`--${name} is missing.`)
  if (/[\p{Cc}\u2028\u2029]/u.test(value))
    throw new UsageError(`--${name} may not have line breaks or control characters.`)
  if ([...value].length > maxCharacters) throw new UsageError(`--${name} may have at most ${maxCharacters} characters.`)
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
