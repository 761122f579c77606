/**
 * The images that deploy/ builds on. Where an image registry can be reached they are pulled. Elsewhere, in a container runtime of
 * our own, substitutes with the same names are made from packages and from the services that this project builds anyway. They
 * have the same programs, users, paths and entry points as far as deploy/ relies on them, but are not the vendors' images.
 */
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findBinary } from '../find-binary.ts'
import { runCommand } from '../run-command.ts'
import { getClickhouseLibrary } from '../start-clickhouse.ts'
import { getGiteaBinary } from '../start-gitea.ts'
import { getTemporalBinaries } from '../start-temporal.ts'
import { ensureSystemPackage } from '../system-package.ts'
import type { ContainerRuntime } from './container-runtime.ts'

/** As in deploy/Dockerfile and the compose files. */
export const baseImages = {
  debian: 'debian:trixie-slim',
  node: 'node:24.21.0-trixie-slim',
  postgres: 'postgres:17.11-trixie',
  'temporal-server': 'temporalio/server:1.32.1',
  'temporal-tools': 'temporalio/admin-tools:1.32.1',
  clickhouse: 'clickhouse/clickhouse-server:26.8.18.2',
  gitea: 'gitea/gitea:1.26.4-rootless',
  caddy: 'caddy:2.11.7',
} as const
type BaseImage = keyof typeof baseImages

const substituteLabel = 'colophon.substitute'

/**
 * Returns the images that are substitutes. Throws if an image cannot be pulled into a runtime that others use: they would later
 * start a substitute without knowing it.
 */
export async function ensureBaseImages(
  runtime: ContainerRuntime,
  wanted: readonly BaseImage[],
  log: (line: string) => void,
): Promise<BaseImage[]> {
  const substitutes: BaseImage[] = []
  let pullError: Error | undefined
  for (const name of wanted) {
    const image = baseImages[name]
    const label = await labelOf(runtime, image)
    if (label !== undefined) {
      if (label === 'true') substitutes.push(name)
      continue
    }
    pullError ??= await pull(runtime, image)
    if (!pullError) continue
    if (!runtime.isOwn) throw missingImageError(image, pullError)
    log(`making a substitute for ${image}, because no image registry can be reached`)
    await makeSubstitute(runtime, name)
    substitutes.push(name)
  }
  return substitutes
}

/** Empty for an image without the label, undefined without the image. */
const labelOf = (runtime: ContainerRuntime, image: string) =>
  runtime.docker(['image', 'inspect', '--format', `{{index .Config.Labels "${substituteLabel}"}}`, image]).then(
    (text) => text.trim(),
    () => undefined,
  )

/** Returns why it failed, or undefined. */
const pull = (runtime: ContainerRuntime, image: string) =>
  runtime.docker(['pull', '--quiet', image]).then(
    () => undefined,
    (error: Error) => error,
  )

const missingImageError = (image: string, cause: Error) =>
  new Error(
    `${image} is missing, and cannot be pulled. Check that the image registry can be reached, and use \`docker login\` if it limits ` +
      'anonymous pulls. Substitutes are built only in a temporary Docker daemon, which is started if no other is running ' +
      `(as root on Debian).\n${cause.message}`,
    { cause },
  )

async function makeSubstitute(runtime: ContainerRuntime, name: BaseImage): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'colophon-image-'))
  try {
    if (name === 'debian') return await importDebian(runtime, context)
    await cp(join(import.meta.dirname, 'substitutes', dockerfileDirectory[name]), context, { recursive: true })
    await addFiles[name](context)
    const options = ['--label', `${substituteLabel}=true`, '--tag', baseImages[name], '--target', name]
    await runtime.docker(['build', '--quiet', ...options, context], { env: { DOCKER_BUILDKIT: '1' } })
  } finally {
    await rm(context, { recursive: true, force: true })
  }
}

async function importDebian(runtime: ContainerRuntime, context: string): Promise<void> {
  await ensureSystemPackage('mmdebstrap', () => findBinary('mmdebstrap') !== undefined)
  const archive = join(context, 'debian.tar')
  // The certificate authorities of this machine, for a network with a proxy of its own.
  const copyAuthorities = '--customize-hook=copy-in /usr/local/share/ca-certificates /usr/local/share'
  const update = '--customize-hook=chroot "$1" update-ca-certificates'
  const options = ['--variant=minbase', '--include=ca-certificates', copyAuthorities, update]
  const slim = ['--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-exclude=/usr/share/man/*']
  await runCommand(['mmdebstrap', ...options, ...slim, 'trixie', archive])
  await runtime.docker(['import', '--change', `LABEL ${substituteLabel}=true`, archive, baseImages.debian])
}

type BuiltImage = Exclude<BaseImage, 'debian'>

const dockerfileDirectory: Record<BuiltImage, string> = {
  node: 'node',
  postgres: 'postgres',
  'temporal-server': 'temporal',
  'temporal-tools': 'temporal',
  clickhouse: 'clickhouse',
  gitea: 'gitea',
  caddy: 'caddy',
}

async function addTemporal(context: string): Promise<void> {
  const { server, sqlTool, schema } = await getTemporalBinaries()
  await cp(server, join(context, 'temporal-server'))
  await cp(sqlTool, join(context, 'temporal-sql-tool'))
  await cp(join(schema, '..'), join(context, 'schema/postgresql'), { recursive: true })
  await cp(join(schema, '../../../docker/scripts/sh/entrypoint.sh'), join(context, 'entrypoint.sh'))
}

const addFiles: Record<BuiltImage, (context: string) => Promise<void>> = {
  async node(context) {
    const npm = dirname(dirname(await realpath(findBinary('npm') ?? '')))
    await cp(await realpath(process.execPath), join(context, 'node'))
    await cp(npm, join(context, 'npm'), { recursive: true, dereference: true })
  },
  postgres: async () => {},
  'temporal-server': addTemporal,
  'temporal-tools': addTemporal,
  async clickhouse(context) {
    await cp(await getClickhouseLibrary(), join(context, 'libchdb.so'))
    await cp(join(import.meta.dirname, '../clickhouse/server.py'), join(context, 'server.py'))
  },
  async gitea(context) {
    const { gitea, staticRoot } = await getGiteaBinary()
    await cp(gitea, join(context, 'gitea'))
    for (const part of ['templates', 'public', 'options', 'docker/rootless'])
      if (staticRoot) await cp(join(staticRoot, part), join(context, part), { recursive: true })
  },
  caddy: async () => {},
}
