/**
 * Finds a running Docker daemon with Compose. Where there is none, starts one from Debian's packages, which are unpacked into the
 * cache: nothing is installed into the system except small packages that it calls.
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getOrFillCacheDirectory } from '../cache.ts'
import { findBinary } from '../find-binary.ts'
import { runCommand } from '../run-command.ts'
import { ensureSystemPackage } from '../system-package.ts'

export interface ContainerRuntime {
  /** Environment of `docker` commands. */
  env: NodeJS.ProcessEnv
  /** Started by us, so its images, containers and volumes are nobody else's. */
  isOwn: boolean
  docker(args: readonly string[], options?: { cwd?: string; stdin?: string; env?: NodeJS.ProcessEnv }): Promise<string>
  /** Stops a runtime of our own. */
  stop(): Promise<void>
}

export async function findOrStartContainerRuntime(log: (line: string) => void): Promise<ContainerRuntime> {
  return (await findContainerRuntime()) ?? (await startContainerRuntime(log))
}

export async function findContainerRuntime(): Promise<ContainerRuntime | undefined> {
  if (!findBinary('docker')) return undefined
  const runtime = createRuntime({ ...process.env }, { isOwn: false, stop: async () => {} })
  try {
    await runtime.docker(['info'])
    await runtime.docker(['compose', 'version'])
    return runtime
  } catch {
    return undefined // the client is often installed without a running runtime, or without Compose
  }
}

function createRuntime(
  env: NodeJS.ProcessEnv,
  { isOwn, stop }: Pick<ContainerRuntime, 'isOwn' | 'stop'>,
): ContainerRuntime {
  return {
    env,
    isOwn,
    stop,
    docker: (args, options = {}) => runCommand(['docker', ...args], { ...options, env: { ...env, ...options.env } }),
  }
}

/** The release with a current runtime. Its programs need no newer C library than that of Debian 12, except runc. */
const release = 'trixie'
const packages = ['docker.io', 'docker-cli', 'docker-compose', 'docker-buildx', 'containerd']

async function startContainerRuntime(log: (line: string) => void): Promise<ContainerRuntime> {
  if (process.getuid?.() !== 0 || !findBinary('apt-get'))
    throw new Error('No Docker daemon with Compose is running. Install Docker, start it, and try again.')
  log('no Docker daemon is running: starting one from the packages of Debian')
  await ensureSystemPackage('iptables', () => findBinary('iptables') !== undefined)
  const root = await getOrFillCacheDirectory('docker-runtime', release, unpackPackages)
  const directory = await mkdtemp(join(tmpdir(), 'colophon-docker-'))
  const socket = `unix://${join(directory, 'docker.sock')}`
  const env = {
    ...process.env,
    PATH: [join(root, 'usr/sbin'), join(root, 'usr/bin'), process.env.PATH].join(':'),
    DOCKER_HOST: socket,
    DOCKER_CONFIG: join(root, 'docker-config'),
  }
  const data = ['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec')]
  // The kernel kills the daemon when this process is killed.
  const command = [
    '--pdeathsig',
    'KILL',
    'dockerd',
    ...data,
    '--pidfile',
    join(directory, 'docker.pid'),
    '--host',
    socket,
  ]
  const daemon = spawn('setpriv', command, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const logFile = createWriteStream(join(directory, 'dockerd.log'))
  daemon.stdout.pipe(logFile)
  daemon.stderr.pipe(logFile)
  const ended = new Promise<void>((resolve) => daemon.once('close', () => resolve()))
  const stop = async () => {
    daemon.kill('SIGTERM')
    await ended
    // The daemon leaves the mount of a network namespace behind if a container used the network of the host.
    await runCommand(['sh', '-c', 'umount --lazy "$1"/exec/netns/* 2>/dev/null || true', 'sh', directory])
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  const runtime = createRuntime(env, { isOwn: true, stop })
  for (let attempts = 0; attempts < 60; attempts++) {
    if (daemon.exitCode !== null) break
    const isReady = await runtime.docker(['info']).then(
      () => true,
      () => false,
    )
    if (isReady) return runtime
    await sleep(500)
  }
  daemon.kill('SIGTERM')
  throw new Error(`The Docker daemon did not start. Its log: ${join(directory, 'dockerd.log')}`)
}

/** With apt's own checks of signatures, from the mirror that this machine uses, and in directories of its own. */
async function unpackPackages(directory: string): Promise<void> {
  const targets = await runCommand(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Origin: Debian'])
  const mirror = targets.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (!mirror) throw new Error('This machine has no Debian mirror. Install Docker, start it, and try again.')
  const apt = join(directory, 'apt')
  await mkdir(join(apt, 'lists/partial'), { recursive: true })
  await mkdir(join(apt, 'cache/archives/partial'), { recursive: true })
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${keyring}] ${mirror} ${release} main\n`)
  const settings = {
    'Dir::Etc::SourceList': join(apt, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::Cache': join(apt, 'cache'),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await runCommand(['apt-get', ...options, 'update'])
  await runCommand(['apt-get', ...options, 'download', ...packages], { cwd: apt })
  await runCommand(['apt-get', 'download', 'runc'], { cwd: apt }) // of this machine's release: trixie's needs a newer C library
  const unpack = 'for file in "$1"/*.deb; do dpkg-deb -x "$file" "$2"; done'
  await runCommand(['sh', '-ec', unpack, 'sh', apt, directory])
  await mkdir(join(directory, 'docker-config'))
  const plugins = join(directory, 'usr/libexec/docker/cli-plugins').replace('.part/', '/') // where it is renamed to
  await writeFile(join(directory, 'docker-config/config.json'), JSON.stringify({ cliPluginsExtraDirs: [plugins] }))
  await rm(apt, { recursive: true })
}
