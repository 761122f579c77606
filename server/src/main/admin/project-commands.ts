import { maxInstructionCharacters } from '../../projects/project-store.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { UsageError } from '../usage-error.ts'
import { note, operator, print, project, readStdin, withStores } from './admin-io.ts'
import { createTextParser } from './option-parsers.ts'

export const projectCommands = {
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

  'project delete': defineCommand({
    summary: 'Delete a project with all its data',
    description: [
      'Access ends at once, and worker deletes the data in the background. There is no way back.',
      'For a project that was deleted before, it deletes again what a restored backup brought back.',
    ].join('\n'),
    options: {
      project,
      name: {
        placeholder: 'NAME',
        description: 'Exact name of the project, as a confirmation',
        required: true,
        parse: createTextParser(100),
      },
    },
    run: (options) =>
      withStores(async ({ projectDeletions }) => {
        const isRepeated = await projectDeletions.repeat(options.project)
        if (!isRepeated) await projectDeletions.request(options.project, options, operator)
        note('The project is unusable from now on. See "project deletions" for the progress.')
      }),
  }),

  'project deletions': defineCommand({
    summary: 'List deletions of the last 90 days: project ID, time of the request, state, webhook on the code host',
    options: {},
    run: () =>
      withStores(async ({ projectDeletions }) => {
        for (const { projectId, requestedAt, completedAt, webhook } of await projectDeletions.list()) {
          const state = completedAt ? `deleted ${completedAt.toISOString()}` : 'in progress'
          print(`${projectId}  ${requestedAt.toISOString()}  ${state}  webhook ${webhook}`)
        }
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
} satisfies CommandGroup['commands']
