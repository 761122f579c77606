/** `colophon projects`: an API key belongs to one project, so the list has one. */
import { isColophonError } from '@colophon/sdk'
import type { Command } from 'commander'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import { addInstanceOptions, addJsonOption, type InstanceOptions, type JsonOption } from '../program/command-options.ts'
import { printableLine } from '../terminal/printable.ts'
import { formatTable } from '../terminal/table.ts'

export function addProjectsCommand(program: Command, context: CommandContext): void {
  addJsonOption(addInstanceOptions(program.command('projects')))
    .summary('show the project of the API key')
    .description('Shows the project of the API key. The dashboard lists all projects of a person.')
    .action(async (options: InstanceOptions & JsonOption) => {
      const { client, projectId } = await connect(context, options)
      const id = await projectId()
      // A key without project:read still knows which project it belongs to.
      const project = await client.projects.get(id).catch((error: unknown) => {
        if (isColophonError(error, 'insufficient_scope')) return undefined
        throw error
      })
      const { out } = context.terminal
      if (options.json) {
        out.printJson([project ?? { id }])
        return
      }
      const state = project === undefined ? 'unknown' : project.pausedAt === null ? 'active' : 'paused'
      out.print(
        formatTable(
          [{ title: 'ID' }, { title: 'STATE' }, { title: 'NAME' }],
          [[{ text: id }, { text: state }, { text: printableLine(project?.name ?? 'needs the scope project:read') }]],
        ),
      )
    })
}
