import { scopes } from '../../keys/scopes.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { firstPage, note, noteIfCut, operator, print, project, withStores } from './admin-io.ts'
import { createTextParser, parseExpiryDays, parseNetworks, parseScopes } from './option-parsers.ts'

export const keyCommands = {
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
    summary: 'List the API keys of a project: ID, prefix, scopes, last use or revocation, creator, name',
    options: { project },
    run: (options) =>
      withStores(async (stores) => {
        await stores.projects.get(options.project)
        for (const key of noteIfCut(await stores.keys.list(options.project, firstPage))) {
          const state = key.revokedAt
            ? `revoked ${key.revokedAt.toISOString()}`
            : `last used ${key.lastUsedAt?.toISOString() ?? 'never'}`
          const creator = key.takenOverBy ?? key.createdBy ?? 'unknown'
          print(`${key.id}  ${key.prefix}  ${key.scopes.join(',')}  ${state}  ${creator}  ${key.name}`)
        }
      }),
  }),

  'key revoke': defineCommand({
    summary: 'Revoke an API key, and every key, runner and invitation created with it',
    options: {
      project,
      key: { placeholder: 'ID', description: 'ID of the key', required: true, parse: createTextParser(100) },
    },
    run: (options) =>
      withStores(async ({ keys }) => {
        const { name, prefix } = await keys.revoke(options.project, options.key, operator)
        note(`${name} (${prefix}) is revoked, and so is every key, runner and invitation created with it.`)
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
} satisfies CommandGroup['commands']
