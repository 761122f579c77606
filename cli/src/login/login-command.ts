/** `colophon login` and `colophon logout`. */
import { text as streamToText } from 'node:stream/consumers'
import { password, text } from '@clack/prompts'
import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import type { CommandContext } from '../program/command-context.ts'
import { addJsonOption, addUrlOption, type InstanceOptions, type JsonOption } from '../program/command-options.ts'
import { CommandFailure, usageError } from '../program/failure.ts'
import { createCheckedClient, isLoopback, normalizeUrl, openLoginStore } from './connection.ts'

interface LoginOptions extends InstanceOptions, JsonOption {
  keychain: boolean
}

export function addLoginCommands(program: Command, context: CommandContext): void {
  addJsonOption(addUrlOption(program.command('login')))
    .summary('store the URL of an instance and an API key')
    .description(
      'Stores the URL of an instance and an API key, after checking them. Asks for both, or takes the key from standard input ' +
        'or COLOPHON_API_KEY. The key goes into the keychain of the system or, if there is none, into a file that only you can read.',
    )
    .option('--no-keychain', 'store the key in a file, even if there is a keychain')
    .action((options: LoginOptions) => logIn(context, options))

  program
    .command('logout')
    .summary('remove the stored API key from this machine')
    .description(
      "Removes the stored URL and API key from this machine. The key stays valid: see 'colophon keys revoke'.",
    )
    .action(() => logOut(context))
}

async function logIn(context: CommandContext, options: LoginOptions): Promise<void> {
  const { terminal, environment } = context
  const { out, err } = terminal
  const url = normalizeUrl(options.url || environment.COLOPHON_URL || (await askUrl(context)))
  if (isUnencrypted(url))
    err.print(err.style.yellow(`${url} is not encrypted: others on the network can read the API key.`))
  const apiKey = environment.COLOPHON_API_KEY || (await readKey(context, url))
  const { projectId, keyId, name, scopes, expiresAt } = await createCheckedClient(url, apiKey).me()
  const store = openLoginStore(environment)
  const keyIn = await store.write({ url, projectId, keyId, keyName: name }, apiKey, { useKeychain: options.keychain })
  if (options.json) {
    out.printJson({ url, projectId, keyId, name, scopes, expiresAt, keyIn })
    return
  }
  const place = keyIn === 'keychain' ? 'the keychain' : store.keyFile
  const expiry = expiresAt === null ? 'It does not expire' : `It expires on ${expiresAt.slice(0, 10)}`
  out.print(`Logged in to ${url} with the API key "${name}" of project ${projectId}.`)
  out.print(`${expiry}, is stored in ${place}, and has the scopes ${scopes.join(', ')}.`)
}

async function logOut({ terminal, environment }: CommandContext): Promise<void> {
  const removed = await openLoginStore(environment).remove()
  terminal.out.print(
    removed
      ? `Removed the API key "${removed.keyName}" for ${removed.url} from this machine. It stays valid until it is revoked: colophon keys revoke ${removed.keyId}`
      : 'There is no stored API key.',
  )
}

const isUnencrypted = (url: string) => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

async function askUrl({ terminal }: CommandContext): Promise<string> {
  if (!terminal.canAsk) throw usageError('Missing option --url, or COLOPHON_URL.')
  return answerOf(
    await text({
      message: 'URL of the instance',
      placeholder: 'https://colophon.example.com',
      validate: (value = '') => (/^https?:\/\/./.test(value) ? undefined : 'It starts with https:// or http://'),
      output: process.stderr,
    }),
  )
}

async function readKey({ terminal, stdin }: CommandContext, url: string): Promise<string> {
  if (!terminal.canAsk) {
    const key = stdin.isTTY ? '' : (await streamToText(stdin)).trim()
    if (key === '') throw usageError('Missing API key: write it to standard input, or set COLOPHON_API_KEY.')
    return key
  }
  return answerOf(
    await password({
      message: `API key (create one on ${url}, under API keys)`,
      validate: (value = '') => (value.trim() === '' ? 'Paste the API key' : undefined),
      output: process.stderr,
    }),
  ).trim()
}

/** A symbol means that the person pressed Ctrl-C. */
function answerOf(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw new CommandFailure(exitCodes.interrupted, 'Nothing was stored.')
  return answer
}
