/**
 * `colophon-server admin …`: administration without the dashboard. Results that scripts read (IDs, secrets, lists) go to
 * standard output, messages for people to standard error.
 */
import type { CommandGroup } from '../command-line.ts'
import { clientListCommands } from './client-list-commands.ts'
import { keyCommands } from './key-commands.ts'
import { modelCommands } from './model-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { projectCommands } from './project-commands.ts'
import { repositoryCommands } from './repository-commands.ts'
import { runnerCommands } from './runner-commands.ts'
import { secretCommands } from './secret-commands.ts'

/** Options are validated before anything is opened, so that a typo is reported even without a database. */
export const adminCommands: CommandGroup = {
  name: 'colophon-server admin',
  summary: 'Administer an instance without the dashboard',
  notes: 'Results are printed to standard output, messages to standard error.',
  commands: {
    ...projectCommands,
    ...keyCommands,
    ...peopleCommands,
    ...repositoryCommands,
    ...modelCommands,
    ...runnerCommands,
    ...clientListCommands,
    ...secretCommands,
  },
}
