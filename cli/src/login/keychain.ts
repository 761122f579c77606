/**
 * The keychain of the system, through its own command: `secret-tool` on Linux, `security` on macOS. The API key is never an
 * argument of a process, because every user of the machine can read those.
 */
import { spawn } from 'node:child_process'

export interface Keychain {
  read(url: string): Promise<string | undefined>
  /** Whether it is stored. */
  write(url: string, apiKey: string): Promise<boolean>
  remove(url: string): Promise<void>
}

const service = 'colophon'

/** Undefined on systems without a keychain that we know. */
export function createKeychain(platform: NodeJS.Platform): Keychain | undefined {
  if (platform === 'linux') return verified(secretTool)
  if (platform === 'darwin') return verified(macSecurity)
  return undefined
}

/** Reads back what was written: a keychain that is locked or not running can fail without an exit code. */
const verified = (keychain: Keychain): Keychain => ({
  ...keychain,
  write: async (url, apiKey) => (await keychain.write(url, apiKey)) && (await keychain.read(url)) === apiKey,
})

const secretTool: Keychain = {
  read: async (url) => found(await runProgram('secret-tool', ['lookup', 'service', service, 'url', url])),
  write: async (url, apiKey) =>
    (await runProgram('secret-tool', ['store', '--label=Colophon API key', 'service', service, 'url', url], apiKey)).ok,
  remove: async (url) => void (await runProgram('secret-tool', ['clear', 'service', service, 'url', url])),
}

/** Its interactive mode reads commands from standard input, so that the key is not an argument. */
const macSecurity: Keychain = {
  read: async (url) => found(await runProgram('security', ['find-generic-password', '-s', service, '-a', url, '-w'])),
  async write(url, apiKey) {
    if (!/^[\w.:/-]+$/.test(url) || !/^[\w.-]+$/.test(apiKey)) return false // it would have to be quoted
    const command = `add-generic-password -U -s ${service} -a ${url} -w ${apiKey}\n`
    return (await runProgram('security', ['-i'], command)).ok
  },
  remove: async (url) => void (await runProgram('security', ['delete-generic-password', '-s', service, '-a', url])),
}

interface ProgramResult {
  ok: boolean
  output: string
}

const found = ({ ok, output }: ProgramResult) => (ok && output.trim() !== '' ? output.trim() : undefined)

/** The system may show a dialog to unlock the keychain. */
const timeoutMs = 60_000

/** A program that is not installed is a failed one. */
const runProgram = (file: string, args: readonly string[], input = ''): Promise<ProgramResult> =>
  new Promise((resolve) => {
    const program = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    // Not the option of `spawn`, whose timer keeps a process running if the program does not exist.
    const timer = setTimeout(() => program.kill(), timeoutMs)
    const end = (result: ProgramResult) => {
      clearTimeout(timer)
      resolve(result)
    }
    let output = ''
    program.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    program.stdin.on('error', () => {}) // it ended without reading
    program.on('error', () => end({ ok: false, output: '' }))
    program.on('close', (code) => end({ ok: code === 0, output }))
    program.stdin.end(input)
  })
