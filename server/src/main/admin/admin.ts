/**
 * `colophon-server admin …`: administration without the dashboard. Results that scripts read (IDs, secrets, lists) go to
 * standard output, messages for people to standard error.
 */
import { text as readStream } from 'node:stream/consumers'
import type { RepositoryInput } from '../../api/repository/repository-connector.ts'
import { defaultPublishingTemplates, validateTemplates } from '../../code-hosts/text/pull-request-text.ts'
import { createDatabase } from '../../database/database.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { scopes } from '../../keys/scopes.ts'
import {
  loadCredentialCommandConfig,
  loadPostgresConfig,
  loadPublicUrlConfig,
  loadSealingPrivateKeys,
} from '../../platform/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { createOpener, createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair } from '../../platform/sealed-secrets/sealing-keys.ts'
import { maxInstructionCharacters } from '../../projects/project-store.ts'
import type { PublishingSettings } from '../../projects/publishing-settings.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { formatFirstOwnerUrl } from '../processes/log-first-owner-link.ts'
import { openStores, type Stores } from '../processes/open-stores.ts'
import { UsageError } from '../usage-error.ts'
import { connectRepository } from '../use-cases/connect-repository.ts'
import { readClientListUpdate, updateClientList } from '../use-cases/update-client-list.ts'
import { addModelOptions, parseAddModelOptions, testUnsavedModel } from './add-model.ts'
import {
  createTextParser,
  parseCodeHost,
  parseCommaSeparatedList,
  parseEmail,
  parseExpiryDays,
  parseNetworks,
  parseProjectId,
  parseProjectIds,
  parseRepositoryName,
  parseRole,
  parseRunnerId,
  parseScopes,
  parseWholeNumber,
  readRunnerToken,
} from './option-parsers.ts'

const operator = { kind: 'operator' } as const

/** The stores return one page. Longer lists are rare enough to say that they are cut. */
const maxListed = 1_000

const project = { placeholder: 'ID', description: 'ID of the project', required: true, parse: parseProjectId } as const
const projects = {
  placeholder: 'LIST',
  description: 'Comma-separated project IDs; all projects if omitted',
  parse: parseProjectIds,
} as const
const email = { placeholder: 'EMAIL', description: 'Email address', required: true, parse: parseEmail } as const
const modelName = {
  placeholder: 'NAME',
  description: 'Name of the model',
  required: true,
  parse: createTextParser(100),
} as const
const clientListFile = {
  placeholder: 'PATH',
  description: 'The newer client list, a JSON file',
  required: true,
  parse: createTextParser(4_096),
} as const

/** Options are validated before anything is opened, so that a typo is reported even without a database. */
export const adminCommands: CommandGroup = {
  name: 'colophon-server admin',
  summary: 'Administer an instance without the dashboard',
  notes: 'Results are printed to standard output, messages to standard error.',
  commands: {
    'project create': defineCommand({
      summary: 'Create a project and print its ID',
      options: {
        name: { placeholder: 'NAME', description: 'Name of the project', required: true, parse: createTextParser(100) },
      },
      run: ({ name }) =>
        withStores(async (stores) => {
          const { id } = await stores.projects.create(name, operator)
          note('Project created. Its ID:')
          print(id)
        }),
    }),

    'project list': defineCommand({
      summary: 'List all projects: ID, creation time, name',
      options: {},
      run: () =>
        withStores(async (stores) => {
          for (const { id, name, createdAt, pausedAt } of await stores.projects.list())
            print(`${id}  ${createdAt.toISOString()}  ${name}${pausedAt ? `  paused ${pausedAt.toISOString()}` : ''}`)
        }),
    }),

    'project pause': defineCommand({
      summary: 'Pause a project: no turns and no model calls until it is resumed',
      options: { project },
      run: (options) =>
        withStores(async ({ pauses }) => {
          const isNewlyPaused = await pauses.pause(options.project, operator)
          note(
            isNewlyPaused
              ? 'The project is paused. Running turns stop within seconds; jobs wait until you resume it.'
              : 'The project is already paused.',
          )
        }),
    }),

    'project resume': defineCommand({
      summary: 'Resume a paused project',
      options: { project },
      run: (options) =>
        withStores(async ({ pauses }) => {
          const isResumed = await pauses.resume(options.project, operator)
          note(isResumed ? 'The project is resumed.' : 'The project is not paused.')
        }),
    }),

    'project instructions': defineCommand({
      summary: 'Set or clear the instructions that are part of every job of a project',
      description: [
        `The instructions are read from standard input, at most ${maxInstructionCharacters} characters. Empty input clears them.`,
        'They take effect from the next turn on.',
      ].join('\n'),
      options: { project },
      async run(options) {
        const instructions = (await readStdin('the instructions for the agent, or nothing to clear them')) || null
        if (instructions && (instructions.length > maxInstructionCharacters || instructions.includes('\0')))
          throw new UsageError(
            `Instructions must be text of at most ${maxInstructionCharacters} characters without NUL characters.`,
          )
        await withStores((stores) => stores.projects.setInstructions(options.project, instructions, operator))
        note(instructions ? 'Instructions saved. They apply from the next turn on.' : 'Instructions cleared.')
      },
    }),

    'key create': defineCommand({
      summary: 'Create an API key and print it',
      description: ['The key is printed once; only its hash is stored.', `Scopes: ${scopes.join(', ')}.`].join('\n'),
      options: {
        project,
        name: { placeholder: 'NAME', description: 'Name of the key', required: true, parse: createTextParser(100) },
        scopes: { placeholder: 'LIST', description: 'Comma-separated scopes; all if omitted', parse: parseScopes },
        'expires-in-days': {
          placeholder: 'N',
          description: 'Days until the key expires; never if omitted',
          parse: parseExpiryDays,
        },
        networks: {
          placeholder: 'LIST',
          description: 'Comma-separated networks in CIDR notation that may use the key; any if omitted',
          parse: parseNetworks,
        },
      },
      run: (options) =>
        withStores(async (stores) => {
          const { id, name } = await stores.projects.get(options.project)
          const grant = {
            name: options.name,
            scopes: options.scopes ?? scopes,
            allowedNetworks: options.networks ?? [],
            expiresAt: options['expires-in-days'] ?? null,
          }
          const { secret } = await stores.keys.create(id, grant, operator)
          note(`API key for ${name}. Save it now: it is not shown again.`)
          print(secret)
        }),
    }),

    'key list': defineCommand({
      summary: 'List the API keys of a project: ID, prefix, scopes, last use or revocation, name',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          await stores.projects.get(options.project)
          for (const key of noteIfCut(await stores.keys.list(options.project, firstPage))) {
            const state = key.revokedAt
              ? `revoked ${key.revokedAt.toISOString()}`
              : `last used ${key.lastUsedAt?.toISOString() ?? 'never'}`
            print(`${key.id}  ${key.prefix}  ${key.scopes.join(',')}  ${state}  ${key.name}`)
          }
        }),
    }),

    'key revoke': defineCommand({
      summary: 'Revoke an API key, and every key created with it',
      options: {
        project,
        key: { placeholder: 'ID', description: 'ID of the key', required: true, parse: createTextParser(100) },
      },
      run: (options) =>
        withStores(async ({ keys }) => {
          const { name, prefix } = await keys.revoke(options.project, options.key, operator)
          note(`${name} (${prefix}) is revoked, and so is every key created with it.`)
        }),
    }),

    'site-key create': defineCommand({
      summary: 'Create a site key for the page view script and print it',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          const { id } = await stores.projects.get(options.project)
          const { key, switchedHumanSource } = await stores.analyticsSettings.createSiteKey(id, operator)
          note('Site key created. It is public: use it in the script tag of your site.')
          if (switchedHumanSource)
            note(
              'Human views are now counted by the script instead of your servers. Change this in the page view settings.',
            )
          print(key)
        }),
    }),

    'site-key list': defineCommand({
      summary: 'List the site keys of a project: key, creation time',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          const { id } = await stores.projects.get(options.project)
          for (const { key, createdAt } of await stores.analyticsSettings.listSiteKeys(id))
            print(`${key}  ${createdAt.toISOString()}`)
        }),
    }),

    'site-key revoke': defineCommand({
      summary: 'Revoke a site key',
      options: {
        project,
        'site-key': { placeholder: 'KEY', description: 'The site key', required: true, parse: createTextParser(100) },
      },
      run: (options) =>
        withStores(async ({ analyticsSettings }) => {
          await analyticsSettings.revokeSiteKey(options.project, options['site-key'], operator)
          note('The site key is revoked.')
        }),
    }),

    'member add': defineCommand({
      summary: 'Add a member to a project',
      description: 'A new member has access only after they accept an invitation to this project.',
      options: {
        project,
        email,
        role: { placeholder: 'ROLE', description: 'owner, editor or viewer', required: true, parse: parseRole },
      },
      run: (options) =>
        withStores(async (stores) => {
          const { id, name } = await stores.projects.get(options.project)
          const member = await stores.members.add(id, { email: options.email, role: options.role }, operator)
          note(`${member.email} is ${member.role} of ${name}.`)
          if (!member.hasJoined) note('They have access once they accept an invitation to this project.')
        }),
    }),

    'member list': defineCommand({
      summary: 'List the members of a project: ID, role, joined or not, creation time, email address',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          await stores.projects.get(options.project)
          for (const member of noteIfCut(await stores.members.list(options.project, firstPage))) {
            const state = member.hasJoined ? 'joined' : 'not joined'
            print(`${member.id}  ${member.role}  ${state}  ${member.createdAt.toISOString()}  ${member.email}`)
          }
        }),
    }),

    'owner-link create': defineCommand({
      summary: 'Create a one-time link for the first owner, while the instance has no operator',
      options: {},
      async run() {
        const { publicUrl } = loadPublicUrlConfig()
        await withStores(async ({ people }) => {
          if (await people.hasOperator())
            throw new UsageError(
              'This instance already has an operator. To add another, run: colophon-server admin operator add --email EMAIL',
            )
          note('Link for the first owner. It works once, within 24 hours:')
          print(formatFirstOwnerUrl(publicUrl, await people.createFirstOwnerToken()))
        })
      },
    }),

    'operator add': defineCommand({
      summary: 'Make a person who has an account an operator of the instance',
      options: { email },
      run: (options) =>
        withStores(async ({ people }) => {
          await people.makeOperator(options.email)
          note(`${options.email} is an operator of this instance.`)
        }),
    }),

    'operator list': defineCommand({
      summary: 'List the operators of the instance: ID, email address, name',
      options: {},
      run: () =>
        withStores(async ({ people }) => {
          for (const person of await people.listOperators()) print(`${person.id}  ${person.email}  ${person.name}`)
        }),
    }),

    'password-link create': defineCommand({
      summary: 'Create a one-time link for setting a new password',
      options: { email },
      async run(options) {
        const { publicUrl } = loadPublicUrlConfig()
        await withStores(async ({ people }) => {
          const token = await people.createPasswordResetToken(options.email)
          note(`Link to set a new password for ${options.email}. It works once, within 24 hours:`)
          print(`${publicUrl}/new-password#${token}`)
        })
      },
    }),

    'repository connect': defineCommand({
      summary: 'Connect a project to a repository on Gitea, Forgejo or GitHub',
      description:
        "The code host's access token is read from standard input. The connection is tested before it is saved.",
      options: {
        project,
        host: {
          placeholder: 'HOST',
          description: 'gitea (also for Forgejo) or github',
          required: true,
          parse: parseCodeHost,
        },
        url: { placeholder: 'URL', description: 'URL of the code host', required: true, parse: createTextParser(500) },
        repository: {
          placeholder: 'OWNER/NAME',
          description: 'The repository',
          required: true,
          parse: parseRepositoryName,
        },
        branch: {
          placeholder: 'NAME',
          description: 'Branch that pull requests are merged into',
          required: true,
          parse: createTextParser(200),
        },
        'docs-folder': { placeholder: 'PATH', description: 'Folder of the docs; the whole repository if omitted' },
        labels: {
          placeholder: 'LIST',
          description: 'Comma-separated labels of pull requests',
          parse: parseCommaSeparatedList,
        },
        reviewers: {
          placeholder: 'LIST',
          description: 'Comma-separated reviewers of pull requests',
          parse: parseCommaSeparatedList,
        },
        draft: { description: 'Open pull requests as drafts' },
        'sign-off': { description: 'Add a Signed-off-by line to commits' },
        'branch-template': { placeholder: 'TEXT', description: 'Template for names of branches' },
        'title-template': { placeholder: 'TEXT', description: 'Template for titles of pull requests' },
        'body-template': { placeholder: 'TEXT', description: 'Template for bodies of pull requests' },
      },
      async run(options) {
        const input: RepositoryInput = {
          host: options.host,
          owner: options.repository.owner,
          name: options.repository.name,
          baseUrl: options.url.replace(/\/+$/, ''),
          baseBranch: options.branch,
          docsFolder: (options['docs-folder'] ?? '').replace(/^\/+|\/+$/g, ''),
          publishing: publishingSettings(options),
        }
        const config = loadCredentialCommandConfig()
        const token = await readToken()
        await withStores(async (stores) => {
          const { id: projectId } = await stores.projects.get(options.project)
          note((await connectRepository({ stores, config, projectId, input, token, actor: operator })).message)
        })
      },
    }),

    'repository show': defineCommand({
      summary: 'Show the repository of a project',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          const { id } = await stores.projects.get(options.project)
          const repository = await stores.repositories.find(id)
          if (!repository)
            throw new Problem(
              'not_found',
              'The project has no repository. To connect one, run: colophon-server admin repository connect',
            )
          printFields({
            host: repository.host,
            url: repository.baseUrl,
            repository: `${repository.owner}/${repository.name}`,
            branch: repository.baseBranch,
            'docs-folder': repository.docsFolder || '(whole repository)',
            access:
              repository.access.kind === 'token'
                ? 'token'
                : `GitHub App installation ${repository.access.installationId}`,
            issue: repository.issue ?? 'none',
            ...publishingFields(repository.publishing),
          })
        }),
    }),

    'model add': defineCommand({
      summary: 'Add a model',
      description: [
        "The provider's API key is read from standard input; empty input means that the provider needs none.",
        'The model is tested with one tiny call before it is saved.',
      ].join('\n'),
      options: {
        ...addModelOptions,
        projects,
        default: { description: 'Make it the default model' },
        'no-test': { description: 'Save the model without testing it' },
      },
      async run(options) {
        const model = {
          ...parseAddModelOptions(options),
          projectIds: options.projects ?? null,
          isDefault: options.default ?? false,
        }
        const config = loadCredentialCommandConfig()
        const key = (await readStdin("the provider's API key, or nothing if it needs none")) || null
        const failure = options['no-test'] ? undefined : await testUnsavedModel(config, model, key)
        if (failure)
          throw new Problem('invalid_request', `${failure} The model was not saved. To skip the test, use --no-test.`)
        await withStores(({ models }) => models.add(model, key, createSealer(config.sealingKeys)))
        note(`The model ${model.name} is available to ${describeProjects(model.projectIds)}.`)
      },
    }),

    'model list': defineCommand({
      summary: "List the models: name, format, URL, provider's name, projects, default or not",
      options: {},
      run: () =>
        withStores(async ({ models }) => {
          for (const { name, format, baseUrl, providerModel, projectIds, isDefault } of await models.list()) {
            const allowed = projectIds?.join(',') ?? 'all projects'
            print(`${name}  ${format}  ${baseUrl}  ${providerModel}  ${allowed}${isDefault ? '  default' : ''}`)
          }
        }),
    }),

    'model remove': defineCommand({
      summary: 'Remove a model and its API key',
      options: { name: modelName },
      run: ({ name }) =>
        withStores(async ({ models }) => {
          await models.remove(name)
          note(`The model ${name} and its key are removed. Jobs that use it fail at their next model call.`)
        }),
    }),

    'model allow': defineCommand({
      summary: 'Set which projects may use a model',
      options: { name: modelName, projects },
      run: (options) =>
        withStores(async ({ models }) => {
          const projectIds = options.projects ?? null
          await models.setAllowedProjects(options.name, projectIds)
          note(`The model ${options.name} is available to ${describeProjects(projectIds)}.`)
        }),
    }),

    'budget set': defineCommand({
      summary: 'Set the budget of a project',
      description: 'Omitted values are reset to the default of the instance.',
      options: {
        project,
        'max-tokens-per-job': { placeholder: 'N', description: 'Maximum tokens per job', parse: parseWholeNumber },
        'max-tokens-per-month': { placeholder: 'N', description: 'Maximum tokens per month', parse: parseWholeNumber },
        'max-usd-per-month': { placeholder: 'N', description: 'Maximum US dollars per month', parse: parseWholeNumber },
      },
      run: (options) =>
        withStores(async (stores) => {
          const { id, name } = await stores.projects.get(options.project)
          const budget = {
            maxTokensPerJob: options['max-tokens-per-job'] ?? null,
            maxTokensPerMonth: options['max-tokens-per-month'] ?? null,
            maxUsdPerMonth: options['max-usd-per-month'] ?? null,
          }
          await stores.budgets.set(id, budget, operator)
          note(`The budget of ${name} is set. Omitted values use the default of the instance.`)
        }),
    }),

    'budget show': defineCommand({
      summary: 'Show the budget of a project and its usage in the current month (UTC)',
      options: { project },
      run: (options) =>
        withStores(async (stores) => {
          const { id } = await stores.projects.get(options.project)
          const { own, used } = await stores.budgets.read(id)
          printFields({
            'max-tokens-per-job': own.maxTokensPerJob ?? 'instance default',
            'max-tokens-per-month': own.maxTokensPerMonth ?? 'instance default',
            'max-usd-per-month': own.maxUsdPerMonth ?? 'instance default',
            'tokens-this-month': used.tokens,
            'usd-this-month': used.costUsd,
          })
        }),
    }),

    'runner create': defineCommand({
      summary: 'Create a runner and print its token',
      description: 'The token is printed once; only its hash is stored.',
      options: {
        name: { placeholder: 'NAME', description: 'Name of the runner', required: true, parse: createTextParser(100) },
        projects,
        'token-file': {
          placeholder: 'FILE',
          description: 'Use the token in this file instead of a new one; without effect if its runner exists already',
          parse: readRunnerToken,
        },
      },
      run: (options) =>
        withStores(async ({ runners }) => {
          const ownToken = options['token-file']
          if (ownToken) {
            const isNew = await runners.createIfMissing(options.name, hashKey(ownToken), options.projects ?? null)
            note(isNew ? 'The runner is created.' : 'The runner of this token exists already, or is revoked.')
            return
          }
          const token = generateKey('colophon_runner_')
          const { id } = await runners.create(options.name, hashKey(token), options.projects ?? null)
          note(`Token of runner ${id}. Save it now: it is not shown again.`)
          print(token)
        }),
    }),

    'runner list': defineCommand({
      summary: 'List the runners: ID, online or offline, last seen, projects, name',
      options: {},
      run: () =>
        withStores(async ({ runners }) => {
          for (const { id, name, projectIds, isOnline, lastSeenAt } of await runners.list()) {
            const seen = `last seen ${lastSeenAt?.toISOString() ?? 'never'}`
            print(
              `${id}  ${isOnline ? 'online' : 'offline'}  ${seen}  ${projectIds?.join(',') ?? 'all projects'}  ${name}`,
            )
          }
        }),
    }),

    'runner revoke': defineCommand({
      summary: 'Revoke a runner: it gets no more turns',
      options: {
        runner: { placeholder: 'ID', description: 'ID of the runner', required: true, parse: parseRunnerId },
      },
      run: ({ runner }) =>
        withStores(async ({ runners }) => {
          note(
            (await runners.revoke(runner))
              ? 'The runner is revoked. It gets no more turns.'
              : 'There is no runner with this ID, or it is already revoked.',
          )
        }),
    }),

    'client-list compare': defineCommand({
      summary: 'Show what a newer client list would change',
      options: { file: clientListFile },
      async run({ file }) {
        for (const line of readClientListUpdate(file).difference) print(line)
      },
    }),

    'client-list update': defineCommand({
      summary: 'Replace the client list of a checkout with a newer one',
      description: 'Use it in a checkout, then build the image from that. It prints the same changes as compare.',
      options: { file: clientListFile },
      async run({ file }) {
        const { list, difference } = readClientListUpdate(file)
        for (const line of difference) print(line)
        updateClientList(list)
        note(`The client list is updated to version ${list.version}. Format it with \`npm run fix\`, and commit it.`)
        note('Running processes use their old list until they are restarted.')
      },
    }),

    'sealing-key generate': defineCommand({
      summary: 'Generate a pair of sealing keys and print both settings',
      options: {},
      async run() {
        const { publicEntry, privateEntry } = generateSealingKeyPair()
        note('For api:')
        print(`COLOPHON_SEALING_PUBLIC_KEYS=${publicEntry}`)
        note('For worker and serve. Keep it secret: it opens every stored secret.')
        print(`COLOPHON_SEALING_PRIVATE_KEYS=${privateEntry}`)
      },
    }),

    'secrets reseal': defineCommand({
      summary: 'Seal all stored secrets again with the first of the sealing keys',
      options: {},
      async run() {
        const sealingKeys = loadSealingPrivateKeys()
        await withStores(async ({ credentials, models, githubApps }) => {
          const opener = createOpener(sealingKeys)
          const sealer = createSealer(sealingKeys)
          const results = [
            await credentials.resealAll(opener, sealer),
            await models.resealAll(opener, sealer),
            await githubApps.resealAll(opener, sealer),
          ]
          const resealed = results.reduce((sum, result) => sum + result.resealed, 0)
          const current = results.reduce((sum, result) => sum + result.current, 0)
          note(`Secrets resealed: ${resealed}. Secrets already sealed with the current key: ${current}.`)
        })
      },
    }),
  },
}

async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = loadPostgresConfig()
  const pool = createPostgresPool(config.postgres, createLog('admin', config.log))
  try {
    await work(openStores(createDatabase(pool)))
  } finally {
    await pool.end()
  }
}

/** Secrets are not options, because options end up in the shell's history and in process lists. */
async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) note(`Paste ${what}, press Enter, then Ctrl-D:`)
  return (await readStream(process.stdin)).trim()
}

async function readToken(): Promise<string> {
  const token = await readStdin("the code host's access token")
  if (!token) throw new UsageError('Missing access token: pass it on standard input.')
  return token
}

function publishingSettings(options: {
  readonly labels: string[] | undefined
  readonly reviewers: string[] | undefined
  readonly draft: boolean | undefined
  readonly 'sign-off': boolean | undefined
  readonly 'branch-template': string | undefined
  readonly 'title-template': string | undefined
  readonly 'body-template': string | undefined
}): PublishingSettings {
  const { draft, 'branch-template': branch, 'title-template': title, 'body-template': body } = options
  const problems = validateTemplates({
    branch: branch ?? defaultPublishingTemplates.branch,
    title: title ?? defaultPublishingTemplates.title,
    body: body ?? defaultPublishingTemplates.body,
  })
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  return {
    ...(options.labels && { labels: options.labels }),
    ...(options.reviewers && { reviewers: options.reviewers }),
    ...(draft && { draft }),
    ...(options['sign-off'] && { signOff: true }),
    ...(branch && { branchTemplate: branch }),
    ...(title && { titleTemplate: title }),
    ...(body && { bodyTemplate: body }),
  }
}

const publishingFields = (publishing: PublishingSettings) => ({
  ...(publishing.labels && { labels: publishing.labels.join(',') }),
  ...(publishing.reviewers && { reviewers: publishing.reviewers.join(',') }),
  ...(publishing.draft && { draft: 'yes' }),
  ...(publishing.signOff && { 'sign-off': 'yes' }),
  ...(publishing.branchTemplate && { 'branch-template': publishing.branchTemplate }),
  ...(publishing.titleTemplate && { 'title-template': publishing.titleTemplate }),
  ...(publishing.bodyTemplate && { 'body-template': JSON.stringify(publishing.bodyTemplate) }),
})

const describeProjects = (projectIds: readonly Id<'prj'>[] | null) =>
  projectIds ? projectIds.join(', ') : 'all projects'

const firstPage = { limit: maxListed, before: undefined }

function noteIfCut<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length === maxListed) note(`Only the newest ${maxListed} are listed.`)
  return items
}

function printFields(fields: Readonly<Record<string, string | number>>): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  for (const [name, value] of Object.entries(fields)) print(`${name.padEnd(width)}  ${value}`)
}

const print = (line: string) => process.stdout.write(`${line}\n`)
const note = (line: string) => process.stderr.write(`${line}\n`)
