import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeychain } from './keychain.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-keychain-'))
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const install = (name: string, script: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\ncd ${folder}\necho "$@" >>arguments\n${script}\n`, { mode: 0o755 })

const url = 'https://colophon.example.com'
const secret = 'colophon_sk_abc123'

const secretTool = `case $1 in
  store) cat >stored ;;
  lookup) cat stored ;;
  clear) rm -f stored ;;
esac`

/** Reads commands, as \`security -i\` does. */
const security = `case $1 in
  -i) read -r line; echo "\${line##* }" >stored ;;
  find-generic-password) cat stored ;;
  delete-generic-password) rm -f stored ;;
esac`

test.each([
  ['linux', 'secret-tool', secretTool],
  ['darwin', 'security', security],
] as const)('%s: stores, reads and removes a key, which is never an argument', async (platform, name, script) => {
  install(name, script)
  const keychain = createKeychain(platform)
  expect(await keychain?.write(url, secret)).toBe(true)
  expect(await keychain?.read(url)).toBe(secret)
  await keychain?.remove(url)
  expect(await keychain?.read(url)).toBeUndefined()
  const used = readFileSync(join(folder, 'arguments'), 'utf8')
  expect(used).toContain(url)
  expect(used).not.toContain(secret)
})

test('a keychain that is not installed, fails, or forgets what it stored is not used', async () => {
  const keychain = createKeychain('linux')
  expect(await keychain?.write(url, secret)).toBe(false)
  install('secret-tool', 'exit 1')
  expect(await keychain?.write(url, secret)).toBe(false)
  install('secret-tool', 'true')
  expect(await keychain?.write(url, secret)).toBe(false)
  expect(createKeychain('win32')).toBeUndefined()
})

test('on macOS, a key or URL that would have to be quoted is not stored', async () => {
  install('security', security)
  const keychain = createKeychain('darwin')
  expect(await keychain?.write(url, 'a key')).toBe(false)
  expect(await keychain?.write('https://a.example/"', secret)).toBe(false)
})
