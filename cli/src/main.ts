#!/usr/bin/env node
/** `colophon <command>`: Colophon from a terminal or from CI. */
import { runCommandLine } from './command-line.ts'
import { status } from './status.ts'

process.exitCode = await runCommandLine({ status }, process.argv.slice(2), process.env)
