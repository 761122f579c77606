import { generateKey, hashKey } from '../../keys/key-format.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { note, print, projects, withStores } from './admin-io.ts'
import { createTextParser, parseRunnerId, readRunnerToken } from './option-parsers.ts'

export const runnerCommands = {
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
} satisfies CommandGroup['commands']
