import { generateKey, hashKey } from '../../keys/key-format.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { UsageError } from '../usage-error.ts'
import { note, operator, print, projects, withStores } from './admin-io.ts'
import {
  createTextParser,
  inDays,
  parseExpiryDays,
  parseOverlapHours,
  parseRunnerId,
  readRunnerToken,
} from './option-parsers.ts'

export const runnerCommands = {
  'runner create': defineCommand({
    summary: 'Create a runner and print its token',
    description: 'The token is printed once; only its hash is stored.',
    options: {
      name: { placeholder: 'NAME', description: 'Name of the runner', required: true, parse: createTextParser(100) },
      projects,
      'expires-in-days': {
        placeholder: 'N',
        description: 'Days until the token expires; 365 if omitted, never for a token from a file',
        parse: parseExpiryDays,
      },
      'token-file': {
        placeholder: 'FILE',
        description: 'Use the token in this file instead of a new one; without effect if its runner exists already',
        parse: readRunnerToken,
      },
    },
    run: (options) =>
      withStores(async ({ runners }) => {
        const ownToken = options['token-file']
        const runner = { name: options.name, projectIds: options.projects ?? null }
        if (ownToken) {
          const expiresAt = options['expires-in-days'] ?? null
          const isNew = await runners.createIfMissing({ ...runner, tokenHash: hashKey(ownToken), expiresAt }, operator)
          note(isNew ? 'The runner is created.' : 'The runner of this token exists already, or is revoked.')
          return
        }
        const token = generateKey('colophon_runner_')
        const expiresAt = options['expires-in-days'] ?? inDays(365)
        const { id } = await runners.create({ ...runner, tokenHash: hashKey(token), expiresAt }, operator)
        note(`Token of runner ${id}, valid until ${expiresAt.toISOString()}. Save it now: it is not shown again.`)
        print(token)
      }),
  }),

  'runner list': defineCommand({
    summary: 'List the runners: ID, online or offline, last seen, expiry, projects, creator, name',
    options: {},
    run: () =>
      withStores(async ({ runners }) => {
        for (const { id, name, projectIds, isOnline, lastSeenAt, expiresAt, createdBy } of await runners.list()) {
          const seen = `last seen ${lastSeenAt?.toISOString() ?? 'never'}`
          const expiry = expiresAt ? `expires ${expiresAt.toISOString()}` : 'does not expire'
          const served = projectIds?.join(',') ?? 'all projects'
          print(
            `${id}  ${isOnline ? 'online' : 'offline'}  ${seen}  ${expiry}  ${served}  ${createdBy ?? 'unknown'}  ${name}`,
          )
        }
      }),
  }),

  'runner rotate': defineCommand({
    summary: 'Replace the token of a runner and print the new one',
    description: 'The old token stays valid for the overlap, so that you can replace it without interruption.',
    options: {
      runner: { placeholder: 'ID', description: 'ID of the runner', required: true, parse: parseRunnerId },
      'overlap-hours': {
        placeholder: 'N',
        description: 'Hours for which the old token stays valid, from 0 to 168; 24 if omitted',
        parse: parseOverlapHours,
      },
      'expires-in-days': {
        placeholder: 'N',
        description: 'Days until the new token expires; 365 if omitted',
        parse: parseExpiryDays,
      },
    },
    run: (options) =>
      withStores(async ({ runners }) => {
        const token = generateKey('colophon_runner_')
        const overlapHours = options['overlap-hours'] ?? 24
        const expiresAt = options['expires-in-days'] ?? inDays(365)
        const rotation = { tokenHash: hashKey(token), overlapHours, expiresAt }
        if (!(await runners.rotateToken(options.runner, rotation, operator)))
          throw new UsageError('There is no runner with this ID, or it is revoked. List them: admin runner list')
        note(
          `New token of the runner. Save it now: it is not shown again. The old one is valid for ${overlapHours} hours.`,
        )
        print(token)
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
} satisfies CommandGroup['commands']
