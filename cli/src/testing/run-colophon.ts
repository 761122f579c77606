/** Runs the command as a shell does, on the SDK's source so that nothing needs to be built first. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface CommandResult {
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  environment?: Readonly<Record<string, string>>
  input?: string
  /** Called with everything that was printed to standard error so far, whenever there is more. */
  onProgress?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void
}

const main = join(import.meta.dirname, '../main.ts')
export const sourceCommand = [process.execPath, '--conditions=colophon-source', main] as const

/** Ends a command that hangs. */
const timeoutMs = 50_000

export const runColophon = (
  args: readonly string[],
  { environment = {}, input = '', onProgress }: RunOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const [file, ...command] = sourceCommand
    const program = spawn(file, [...command, ...args], {
      env: { HOME: '/nonexistent', PATH: '/nonexistent', ...environment },
      timeout: timeoutMs,
    })
    let stdout = ''
    let stderr = ''
    program.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk
    })
    program.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk
      onProgress?.(stderr, (signal) => program.kill(signal))
    })
    program.stdin.on('error', () => {}) // it ended without reading
    program.stdin.end(input)
    program.on('error', reject)
    program.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
