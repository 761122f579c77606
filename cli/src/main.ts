/** `colophon <command>`: Colophon from a terminal or from CI. */
import { runCommandLine } from './command-line.ts'
import { statusCommand } from './status-command.ts'

process.exitCode = await runCommandLine({ status: statusCommand }, process.argv.slice(2), process.env)
