/** The reverse proxies of the docs: from the PATH, from the packages of Debian or Ubuntu, or built from source. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { buildGoModule, type GoModule } from './go-build.ts'
import { runCommand } from './run-command.ts'

export const getNginxBinary = (): Promise<string> => getPackagedProgram('nginx', 'usr/sbin/nginx')
export const getCaddyBinary = (): Promise<string> => getPackagedProgram('caddy', 'usr/bin/caddy')

/** The newest release whose dependencies, which it replaces with forks, are all in Go's module proxy. */
const traefik: GoModule = {
  title: 'Traefik',
  path: 'github.com/traefik/traefik/v3',
  version: 'v3.6.12',
  sum: 'h1:6pe4s7aaDTQs+AsF7KP3sM/xnq7zOVvibRQe5tw9eFo=',
  commands: { traefik: './cmd/traefik' },
  variables: ['github.com/traefik/traefik/v3/pkg/version.Version=v3.6.12'],
  expectedSeconds: 600,
}

export async function getTraefikBinary(): Promise<string> {
  const installed = findBinary('traefik')
  if (installed) return installed
  const directory = await getOrFillCacheDirectory('traefik', traefik.version, (part) => buildGoModule(traefik, part))
  return join(directory, 'bin/traefik')
}

/** Unpacks the package: installing it would start a server on the ports 80 and 443. */
async function getPackagedProgram(name: string, path: string): Promise<string> {
  const installed = findBinary(name, ['/usr/sbin'])
  if (installed) return installed
  if (!findBinary('apt-get')) throw new Error(`${name} is missing. Install it with your package manager.`)
  const directory = await getOrFillCacheDirectory(name, await readSystemName(), async (part) => {
    await runCommand(['apt-get', 'download', name], { cwd: part })
    await runCommand(['sh', '-ec', 'dpkg-deb -x ./*.deb . && rm ./*.deb'], { cwd: part })
    if (!existsSync(join(part, path))) throw new Error(`The package ${name} of this system has no ${path}.`)
  })
  return join(directory, path)
}

/** Like `debian-12`. */
async function readSystemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8')
  const read = (field: string) => new RegExp(`^${field}="?([\\w.]+)"?$`, 'm').exec(release)?.[1] ?? 'unknown'
  return `${read('ID')}-${read('VERSION_ID')}`
}
