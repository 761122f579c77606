/**
 * What `colophon login` stores: the URL, the project and, if there is no keychain, the API key, in files that only the user can
 * read.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../program/command-context.ts'
import type { Keychain } from './keychain.ts'

export interface StoredLogin {
  url: string
  projectId: string
  keyId: string
  keyName: string
  /** Where the API key is. */
  keyIn: 'keychain' | 'file'
}

/** A keychain does not work everywhere where its program is installed, for example without a desktop session. */
export interface LoginStore {
  read(): StoredLogin | undefined
  readKey(login: StoredLogin): Promise<string | undefined>
  /** Replaces the login before it. Returns where the key is. */
  write(
    login: Omit<StoredLogin, 'keyIn'>,
    apiKey: string,
    options: { useKeychain: boolean },
  ): Promise<StoredLogin['keyIn']>
  /** Returns what was removed, if there was something. */
  remove(): Promise<StoredLogin | undefined>
  /** For messages. */
  keyFile: string
}

const onlyOwnerFile = 0o600
const onlyOwnerFolder = 0o700

export const configFolder = ({ XDG_CONFIG_HOME, HOME }: Environment): string =>
  join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'colophon')

export function createLoginStore(folder: string, keychain: Keychain | undefined): LoginStore {
  const loginFile = join(folder, 'login.json')
  const keyFile = join(folder, 'api-key')

  const read = (): StoredLogin | undefined => {
    const text = readIfExists(loginFile)
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as StoredLogin
    } catch {
      return undefined // written by hand; `login` replaces it
    }
  }
  return {
    read,
    keyFile,
    async readKey({ url, keyIn }) {
      return keyIn === 'keychain' ? keychain?.read(url) : readIfExists(keyFile)?.trim()
    },
    async write(login, apiKey, { useKeychain }) {
      const previous = read()
      if (previous?.keyIn === 'keychain') await keychain?.remove(previous.url)
      const keyIn = useKeychain && (await keychain?.write(login.url, apiKey)) ? 'keychain' : 'file'
      mkdirSync(folder, { recursive: true, mode: onlyOwnerFolder })
      chmodSync(folder, onlyOwnerFolder) // it may have existed
      if (keyIn === 'file') writePrivateFile(keyFile, `${apiKey}\n`)
      else rmSync(keyFile, { force: true })
      const stored: StoredLogin = { ...login, keyIn }
      writePrivateFile(loginFile, `${JSON.stringify(stored, null, 2)}\n`)
      return keyIn
    },
    async remove() {
      const login = read()
      if (login?.keyIn === 'keychain') await keychain?.remove(login.url)
      rmSync(keyFile, { force: true })
      rmSync(loginFile, { force: true })
      return login
    },
  }
}

/** Never readable by others, not even for a moment, and never half written. */
function writePrivateFile(path: string, content: string): void {
  const part = `${path}.${process.pid}`
  rmSync(part, { force: true })
  writeFileSync(part, content, { mode: onlyOwnerFile, flag: 'wx' })
  renameSync(part, path)
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
