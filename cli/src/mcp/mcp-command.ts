/** `colophon mcp`: Colophon's tools for AI assistants that start a program, instead of connecting to `/mcp`. */
import { runStdioServer } from '@colophon/mcp/stdio'
import type { Command } from 'commander'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import { addInstanceOptions, type InstanceOptions } from '../program/command-options.ts'
import { version } from '../program/version.ts'

export function addMcpCommand(program: Command, context: CommandContext): void {
  addInstanceOptions(program.command('mcp'))
    .summary('serve tools to an AI assistant over standard input and output')
    .description(
      'Serves tools to an AI assistant over standard input and output (Model Context Protocol). Assistants start this command ' +
        'themselves: see docs/mcp.md. It ends when the standard input does.',
    )
    .action(async (options: InstanceOptions) => {
      const { client } = await connect(context, options)
      await runStdioServer({ client, version })
    })
}
