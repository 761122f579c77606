import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Standard input of the command. */
  stdin?: string
  /** Called for each line of standard error, for progress. */
  onErrorLine?: (line: string) => void
}

/**
 * Runs a command until it exits and returns its standard output. If it fails, the error has the command and its last
 * output.
 */
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {}) // the command may exit without reading it
  child.stdin.end(options.stdin ?? '')
  const lastErrors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastErrors.push(line)
    if (lastErrors.length > 20) lastErrors.shift()
    options.onErrorLine?.(line)
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'unknown'))
  })
  const text = Buffer.concat(output).toString()
  if (code !== 0) {
    throw new Error(`\`${command.join(' ')}\` failed with ${code}:\n${[text.slice(-2000), ...lastErrors].join('\n')}`)
  }
  return text
}
